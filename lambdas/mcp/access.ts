import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  catalogue: 'read',
  checkouts: 'write',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  leases: 'write',
  mcp: 'read',
  models: 'read',
  pages: 'write',
  restorePoints: 'write',
  sessions: 'write',
  tasks: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'read',
} as const satisfies Access

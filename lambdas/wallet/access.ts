import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  checkouts: 'write',
  cursors: 'read',
  pages: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access

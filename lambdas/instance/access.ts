import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  cursors: 'read',
  events: 'write',
  instances: 'write',
  logs: 'read',
  metrics: 'read',
  models: 'read',
  restorePoints: 'write',
  schedules: 'write',
  sessions: 'write',
  tasks: 'write',
  timers: 'write',
  tokens: 'write',
  users: 'read',
  variables: 'write',
  wallets: 'read',
} as const satisfies Access

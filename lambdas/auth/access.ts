import type { Access } from '../../domain/ports.ts'

export const access = {
  logins: 'write',
  mail: 'write',
  rates: 'write',
  sessions: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access

import type { Access } from '../../domain/ports.ts'

export const access = {
  audit: 'write',
  bus: 'write',
  edge: 'read',
  events: 'write',
  instances: 'write',
  logins: 'write',
  mail: 'write',
  passkeyCeremony: 'read',
  passkeys: 'write',
  rates: 'write',
  sessions: 'write',
  tokens: 'write',
  users: 'write',
  wallets: 'write',
} as const satisfies Access

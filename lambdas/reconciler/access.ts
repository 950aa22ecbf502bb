import type { Access } from '../../domain/ports.ts'

/** The only area that may run machines. */
export const access = {
  events: 'write',
  instances: 'write',
  machines: 'write',
  machineTokens: 'write',
  wallets: 'write',
} as const satisfies Access

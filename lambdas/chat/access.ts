import type { Access } from '../../domain/ports.ts'

export const access = {
  bus: 'write',
  conversations: 'write',
  events: 'write',
  instances: 'write',
  sessions: 'write',
  tokens: 'write',
} as const satisfies Access

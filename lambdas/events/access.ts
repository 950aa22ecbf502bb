import type { Access } from '../../domain/ports.ts'

export const access = { events: 'read', leases: 'write', sessions: 'write', tokens: 'write' } as const satisfies Access

import type { Access } from '../../domain/ports.ts'

export const access = { models: 'read', openapi: 'read' } as const satisfies Access

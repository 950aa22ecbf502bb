import * as z from 'zod'

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Expected a SHA-256 in hex.')

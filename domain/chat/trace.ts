import * as z from 'zod'

/** The root of an X-Ray trace: its start, and 96 random bits. */
export const traceId = z.string().regex(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/)

/** Reads API Gateway's header: `Root=1-…;Parent=…;Sampled=1`. */
export function traceOf(header: string | undefined): string | undefined {
  const [, root] = /(?:^|;)\s*Root=([^;]+)/.exec(header ?? '') ?? []
  return traceId.safeParse(root).data
}

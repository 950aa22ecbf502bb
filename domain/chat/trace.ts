import * as z from 'zod'

/** The root of an X-Ray trace: when it began, and 96 random bits. */
export const traceId = z.string().regex(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/)

/** The trace that a request belongs to, by the header that API Gateway gives it: `Root=1-…;Parent=…;Sampled=1`. */
export function traceOf(header: string | undefined): string | undefined {
  const [, root] = /(?:^|;)\s*Root=([^;]+)/.exec(header ?? '') ?? []
  return traceId.safeParse(root).data
}

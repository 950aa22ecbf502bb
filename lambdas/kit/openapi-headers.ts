import * as z from 'zod'

const header = (id: string, schema: z.ZodType, description: string, example: string | number) => ({
  [id]: schema.meta({ description, example, header: { id } }),
})

const count = () => z.int().min(0)

export const baseHeaders = header(
  'X-Request-Id',
  z.string(),
  'Names this request in our logs.',
  '0b6b7a5e-7c0e-4a4e-9d8e-0d1c2b3a4f5e',
)

export const limitHeaders = {
  ...header(
    'X-RateLimit-Limit',
    count(),
    'Requests allowed in any 60 seconds; one is counted for 60 to 75. All operations that show the same limit share it, and so do all tokens of a user, all connected apps, or all browser sessions.',
    120,
  ),
  ...header(
    'X-RateLimit-Remaining',
    count(),
    'Requests left now; 0 where the rate limit refused the request with a 429. Other 429s, such as one for too many open streams, show how many are left.',
    119,
  ),
  ...header(
    'X-RateLimit-Reset',
    count(),
    'Seconds until a slot frees; Retry-After where the rate limit refused the request.',
    75,
  ),
}

/** The same headers on an answer that may precede the count of its request. */
export const limitHeadersIfCounted = Object.fromEntries(
  Object.entries(limitHeaders).map(([name, schema]) => [
    name,
    schema.optional().meta({ ...schema.meta(), header: { id: `${name}-If-Counted` } }),
  ]),
)

export const retryHeaders = header('Retry-After', count(), 'Seconds to wait.', 12)

export const allowHeaders = header(
  'Allow',
  z.string().optional(),
  'The methods that the path serves, where the status is 405.',
  'GET, HEAD',
)

import * as z from 'zod'

const header = (id: string, schema: z.ZodType, description: string, example: string | number) => ({
  [id]: schema.meta({ description, example, header: { id } }),
})

const count = () => z.int().min(0)

export const baseHeaders = header(
  'X-Request-Id',
  z.string(),
  'The id of this request in our logs.',
  '0b6b7a5e-7c0e-4a4e-9d8e-0d1c2b3a4f5e',
)

export const limitHeaders = {
  ...header(
    'X-RateLimit-Limit',
    count(),
    'The number of requests allowed in any 60 seconds; a request counts for 60 to 75 seconds. All operations with ' +
      'the same limit share it. All tokens of a user share it too, as do all connected apps and all browser sessions.',
    120,
  ),
  ...header(
    'X-RateLimit-Remaining',
    count(),
    'The number of requests left; 0 if the rate limit refused the request with a 429. Other 429s, such as one for ' +
      'too many open streams, show the number that is left.',
    119,
  ),
  ...header(
    'X-RateLimit-Reset',
    count(),
    'Seconds until another request is allowed; equal to Retry-After if the rate limit refused the request.',
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

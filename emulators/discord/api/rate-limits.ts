/** So many requests in a window, ms. The numbers are those that Discord's headers have been seen to say. */
export interface Limit {
  requests: number
  windowMs: number
}

interface RateLimit {
  headers: Record<string, string>
  /** Null when this request is within the limit; else the seconds to wait. */
  retryAfter: number | null
  global: boolean
}

/** All requests of the bot; those by an interaction's token are not among them. */
const globalLimit: Limit = { requests: 50, windowMs: 1_000 }

interface Bucket {
  used: number
  resetMs: number
}

export class RateLimits {
  readonly #buckets = new Map<string, Bucket>()

  /** @param bucket of this route, with the channel, server or webhook that it is about */
  take(bucket: string, limit: Limit, countsGlobally: boolean): RateLimit {
    const global = countsGlobally ? this.#count('global', globalLimit) : null
    if (global && global.used > globalLimit.requests)
      return {
        headers: { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
        ...waitOf(global),
        global: true,
      }
    const own = this.#count(bucket, limit)
    const over = own.used > limit.requests
    return {
      headers: {
        'x-ratelimit-limit': String(limit.requests),
        'x-ratelimit-remaining': String(Math.max(0, limit.requests - own.used)),
        'x-ratelimit-reset': (own.resetMs / 1_000).toFixed(3),
        'x-ratelimit-reset-after': ((own.resetMs - Date.now()) / 1_000).toFixed(3),
        'x-ratelimit-bucket': Buffer.from(bucket.replace(/\d{5,}.*/, ''))
          .toString('hex')
          .slice(0, 32),
        ...(over && { 'x-ratelimit-scope': 'user' }),
      },
      retryAfter: over ? waitOf(own).retryAfter : null,
      global: false,
    }
  }

  #count(name: string, { windowMs }: Limit): Bucket {
    const found = this.#buckets.get(name)
    const bucket = found && found.resetMs > Date.now() ? found : { used: 0, resetMs: Date.now() + windowMs }
    bucket.used += 1
    this.#buckets.set(name, bucket)
    return bucket
  }
}

const waitOf = ({ resetMs }: Bucket) => ({ retryAfter: Math.max(1, resetMs - Date.now()) / 1_000 })

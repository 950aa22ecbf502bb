/** Clients depend on these codes: they are stable. */
export const codes = [
  'unauthorized',
  'forbidden',
  'not-found',
  'validation',
  'invalid-json',
  'rate-limited',
  'wallet-empty',
  'spending-limit',
  'wallet-suspended',
  'repeated-calls',
  'provider-error',
  'too-large',
  'missing-id',
  'conflict',
  'internal',
] as const

export type Code = (typeof codes)[number]

/** Field name to the messages about it. */
export type Details = Record<string, string[]>

interface ErrorExtra {
  details?: Details
  retryAfterSeconds?: number
  /** True when another limit than the rate window is used up. */
  outsideWindow?: true
  /** True for a missing thing without an id, so no other id in the call can help. */
  hasNoId?: true
}

/**
 * The only error a rule throws on purpose. Its message is for the caller: it says what to do next and never contains a
 * secret, a vendor's text or personal data.
 */
export class DomainError extends Error {
  readonly code: Code
  readonly details: Details | undefined
  /** Seconds until the same request may succeed; set where the status is 429. */
  readonly retryAfterSeconds: number | undefined
  /** True for a 429 of another limit than the caller's rate window, such as the number of open streams. */
  readonly outsideWindow: boolean
  readonly hasNoId: boolean

  /** A `validation` always says which field is wrong. */
  constructor(code: Code, message: string, extra: ErrorExtra & { details: Details })
  constructor(code: Exclude<Code, 'validation'>, message: string, extra?: ErrorExtra)
  constructor(code: Code, message: string, extra: ErrorExtra = {}) {
    super(message)
    this.name = 'DomainError'
    this.code = code
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.outsideWindow = extra.outsideWindow ?? false
    this.hasNoId = extra.hasNoId ?? false
  }
}

export const unauthorized = (message = 'Sign in again, or send a valid token as "Authorization: Bearer oss_…".') =>
  new DomainError('unauthorized', message)

export const forbidden = (message: string) => new DomainError('forbidden', message)

/** The caller is known, but signed in too long ago or in another way than required: `details.signIn` says which. */
export const signInNeeded = (how: 'recent' | 'passkey', message: string) =>
  new DomainError('forbidden', message, { details: { signIn: [how] } })

export const noRoute = () => new DomainError('not-found', 'There is no such path and method. See /docs/reference.')

export const notFound = (what: string) => new DomainError('not-found', `There is no such ${what}. Check the id.`)

export const noInstance = () =>
  new DomainError('not-found', 'There is no instance. Subscribe to a plan to get one.', { hasNoId: true })

export const conflict = (message: string) => new DomainError('conflict', message)

export const invalid = (field: string, message: string) =>
  new DomainError('validation', `Invalid ${field}: ${message}`, { details: { [field]: [message] } })

export const rateLimited = (retryAfterSeconds: number, because = 'Too many requests.') =>
  new DomainError('rate-limited', `${because} Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  })

/** Too many are open at once; other requests still succeed. */
export const tooManyOpen = (retryAfterSeconds: number, because: string) =>
  new DomainError('rate-limited', `${because} Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
    outsideWindow: true,
  })

/** @param upstream the known facts of the failure, without the provider's words */
export const providerError = (
  message = 'The model provider failed. Retry in 4, 8, 16, then 32 seconds.',
  upstream?: string,
) => new DomainError('provider-error', message, upstream ? { details: { upstream: [upstream] } } : {})

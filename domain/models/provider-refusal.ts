import { DomainError, providerError } from '../errors.ts'
import { secondMs } from '../time.ts'
import { accountReasonIn, type ErrorWords, errorIn, type FailureReason, reasonOfStatus, wordsOf } from './failure.ts'
import { isObject, objectsIn } from './json.ts'

/** The provider's reasons for a refusal that we name; its own text goes no further. */
export const refusalTypes = {
  context_length_exceeded: 'prompt is too long: the model reads less than this. Shorten the conversation.',
  content_policy_violation: 'The provider refuses this content by its policy. Change the request.',
  unknown_parameter: 'Extra inputs are not permitted: the model does not know this field. Leave it out.',
  unsupported_value: 'The model does not take this value. Change it, or choose another model.',
  invalid_request_error: 'The provider refused the request as it is. Check it against the documentation of the model.',
  rate_limit_exceeded: 'The model provider is busy. Retry after as many seconds as Retry-After says.',
  'too-large': 'The request is larger than the provider takes. Send less.',
} as const
type RefusalType = keyof typeof refusalTypes

/** Codex waits as long as the message says: it reads `try again in <n> seconds` and no header. */
const busyFor = (seconds: number): string =>
  `The model provider is busy. Try again in ${seconds} seconds, or choose another model.`

/** A provider's statuses with a meaning for the caller, and the types of each. All others are faults. */
export const refusalTypesByStatus = {
  400: [
    'context_length_exceeded',
    'content_policy_violation',
    'unknown_parameter',
    'unsupported_value',
    'invalid_request_error',
    'too-large',
  ],
  413: ['context_length_exceeded', 'too-large'],
  429: ['rate_limit_exceeded'],
} as const satisfies Record<number, readonly RefusalType[]>
export type RefusedStatus = keyof typeof refusalTypesByStatus

const isTelling = (status: number): status is RefusedStatus => Object.hasOwn(refusalTypesByStatus, status)

/** `reason` is for operators; the caller gets only the message. */
export class ProviderFailure extends DomainError {
  readonly reason: FailureReason

  constructor(reason: FailureReason, shown: string, message = providerError().message) {
    super('provider-error', message, { details: { upstream: [shown] } })
    this.reason = reason
  }
}

/** The addresses of vendors' SDKs return its status; others return a fault. */
export class ProviderRefusal extends ProviderFailure {
  readonly status: RefusedStatus
  readonly type: RefusalType
  /** The provider's name of the field; null when it names none. */
  readonly field: string | null
  /** Null where waiting does not help. */
  readonly waitSeconds: number | null

  constructor(status: RefusedStatus, type: RefusalType, field: string | null, retryAfterMs: number | null) {
    const waitSeconds = status === 429 ? Math.max(1, Math.ceil((retryAfterMs ?? 4 * secondMs) / secondMs)) : null
    const text = waitSeconds === null ? refusalTypes[type] : busyFor(waitSeconds)
    super(reasonOfStatus(status), `HTTP ${status}`, field ? `${field}: ${text}` : text)
    this.waitSeconds = waitSeconds
    this.status = status
    this.type = type
    this.field = field
  }
}

export const exampleRefusals: readonly ProviderRefusal[] = Object.entries(refusalTypesByStatus).flatMap(
  ([status, types]) =>
    types.map((type) => new ProviderRefusal(Number(status) as RefusedStatus, type, null, 12 * secondMs)), // safe because it is a key
)

/**
 * A refusal that the caller did not cause, such as an unpaid operator's account, is a fault.
 * @param body the refusal's, of any format
 * @param sent the top-level fields of the request
 */
export function readRefusal(
  status: number,
  body: string,
  sent: readonly string[],
  retryAfterMs: number | null,
): ProviderFailure {
  const error = errorIn(parsed(body))
  const words = wordsOf(error)
  const account = accountReasonIn(words)
  if (account || !isTelling(status)) return new ProviderFailure(account ?? reasonOfStatus(status), `HTTP ${status}`)
  return new ProviderRefusal(status, typeOf(status, words), fieldIn(error, sent), retryAfterMs)
}

function typeOf(status: RefusedStatus, words: string): RefusalType {
  if (status === 429) return 'rate_limit_exceeded'
  if (/context_length|context window|maximum context|prompt is too long|too many tokens/.test(words))
    return 'context_length_exceeded'
  if (status === 413 || /image exceeds/.test(words)) return 'too-large'
  if (/content_policy|content_filter|invalid_prompt|moderation|usage polic/.test(words))
    return 'content_policy_violation'
  if (/unknown_parameter|unrecognized|extra inputs|extra_forbidden|unexpected keyword/.test(words))
    return 'unknown_parameter'
  return /unsupported|not supported|invalid_value/.test(words) ? 'unsupported_value' : 'invalid_request_error'
}

function parsed(body: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body)
    // Gemini puts its errors into a list
    return isObject(json) ? json : (objectsIn(json)[0] ?? {})
  } catch {
    return {}
  }
}

/** A path whose first name is a field of the request, so it repeats only the caller's own words. */
function fieldIn({ param, message }: Pick<ErrorWords, 'param' | 'message'>, sent: readonly string[]): string | null {
  const named = param || (/^([\w.[\]-]{1,100}): /.exec(message)?.[1] ?? '')
  const first = named.split(/[.[]/, 1)[0] ?? ''
  return /^[\w.[\]-]{1,100}$/.test(named) && sent.includes(first) ? named : null
}

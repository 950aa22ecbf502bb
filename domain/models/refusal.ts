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
export type RefusalType = keyof typeof refusalTypes

/** Codex waits for as long as such a message says: it reads `try again in <n> seconds` and no header. */
const busyFor = (seconds: number): string =>
  `The model provider is busy. Try again in ${seconds} seconds, or choose another model.`

/** Statuses of a provider's that tell a caller something, with the types of each. All others are faults. */
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

/** A call that failed at its provider; `reason` is for operators, and the caller reads no more than the message. */
export class ProviderFailure extends DomainError {
  readonly reason: FailureReason

  constructor(reason: FailureReason, shown: string, message = providerError().message) {
    super('provider-error', message, { details: { upstream: [shown] } })
    this.reason = reason
  }
}

/**
 * A request that its provider refused: told with its status at the addresses of vendors' SDKs, elsewhere as a fault.
 */
export class ProviderRefusal extends ProviderFailure {
  readonly status: RefusedStatus
  readonly type: RefusalType
  /** The field it is about, as the provider names it; null when it names none. */
  readonly field: string | null
  /** Seconds to wait before the same request may be taken; null where waiting does not help. */
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

/** A refusal of each type and each status that a provider refuses with. */
export const exampleRefusals: readonly ProviderRefusal[] = Object.entries(refusalTypesByStatus).flatMap(
  ([status, types]) =>
    types.map((type) => new ProviderRefusal(Number(status) as RefusedStatus, type, null, 12 * secondMs)), // safe because it is a key
)

/**
 * Reads a provider's refusal: our type, and the field when the request has one of that name. A refusal that the caller
 * did not cause is a fault, such as an operator's account that is out of credit.
 * @param body what came with it, of any format
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

/** A path of names and numbers whose first is a field that was sent: so it says nothing the caller did not write. */
function fieldIn({ param, message }: Pick<ErrorWords, 'param' | 'message'>, sent: readonly string[]): string | null {
  const named = param || (/^([\w.[\]-]{1,100}): /.exec(message)?.[1] ?? '')
  const first = named.split(/[.[]/, 1)[0] ?? ''
  return /^[\w.[\]-]{1,100}$/.test(named) && sent.includes(first) ? named : null
}

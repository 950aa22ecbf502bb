import { cut } from '../text.ts'
import { isObject } from './json.ts'

/** For operators in logs, metrics and receipts; never a provider's text. */
export const failureReasons = [
  'no-connection',
  'cut-off',
  'busy',
  'provider-fault',
  'account-unpaid',
  'key-refused',
  'forbidden',
  'request-refused',
  'unknown-address',
  'redirected',
  'compressed',
  'not-json',
  'no-answer',
  'error-in-answer',
  'too-large',
  'time-up',
  'stopped',
] as const
export type FailureReason = (typeof failureReasons)[number]

export function reasonOfStatus(status: number): FailureReason {
  if (status === 402) return 'account-unpaid'
  if (status === 401) return 'key-refused'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 405) return 'unknown-address'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 408 || status >= 500) return 'provider-fault'
  return status >= 400 ? 'request-refused' : 'redirected'
}

/** Words about money that neither a rate limit nor a caller's request causes. */
const unpaid = RegExp(
  [
    'insufficient[_ ](?:[a-z]+[_ ])?(?:quota|balance|credit|fund)',
    'not enough (?:[a-z]+ )?(?:balance|credit|fund)',
    'credit (?:balance|limit) is',
    'billing[_ ](?:hard|limit|error|not|is)',
    'exceeded_current_quota_error|spending limit|specified api usage limits|payment required',
    'arrear|overdue[-_ ]?payment|accountoverdue|余额不足|欠费',
  ].join('|'),
)
const refusedKey = RegExp(
  [
    '(?:invalid|incorrect|missing|expired|revoked|disabled)[_ ](?:x-)?api[_ -]?key',
    'api[_ -]?key (?:is|was|has|not|expired|invalid|provided)',
    '(?:organization|workspace|project|account) (?:has been|is|was) (?:disabled|deactivated|suspended|blocked|not active)',
    'unauthorized|authentication(?:[_ ]error| fail)',
  ].join('|'),
)

/** The operator's account as the reason in an error's words; null for any other reason. */
export const accountReasonIn = (words: string): FailureReason | null =>
  unpaid.test(words) ? 'account-unpaid' : refusedKey.test(words) ? 'key-refused' : null

/** Failures by the operator's configuration of a provider: neither waiting nor another request helps. */
const misconfigured: ReadonlySet<FailureReason> = new Set([
  'account-unpaid',
  'key-refused',
  'forbidden',
  'unknown-address',
  'redirected',
])

/** Failures that the request or its sender caused. Every other failure is the provider's, or of its configuration. */
const causedByCaller: ReadonlySet<FailureReason> = new Set(['request-refused', 'too-large', 'time-up', 'stopped'])

export const isProvidersFault = (reason: FailureReason): boolean => !causedByCaller.has(reason)

/** Where to retry: the same provider a little later, another one, or none. */
export type NextTry = 'again' | 'elsewhere' | 'nowhere'

export function nextTryAfter(reason: FailureReason): NextTry {
  if (misconfigured.has(reason)) return 'elsewhere'
  return reason === 'request-refused' ? 'nowhere' : 'again'
}

export type ErrorWords = Record<'code' | 'type' | 'message' | 'param', string>

export function errorIn(json: Readonly<Record<string, unknown>>): ErrorWords {
  const error = isObject(json.error) ? json.error : json
  const text = (...values: unknown[]) =>
    cut(String(values.find((value) => typeof value === 'string' || typeof value === 'number') ?? ''), 2_000)
  return {
    code: text(error.code, error.error_code),
    type: text(error.type),
    message: text(error.message, error.msg, error.detail, error.details, error.error_msg, json.error),
    param: text(error.param),
  }
}

export const wordsOf = ({ code, type, message }: ErrorWords): string => `${code} ${type} ${message}`.toLowerCase()

/** False for an empty `error`, which servers write into good answers. */
export function isError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isError)
  if (isObject(value)) return Object.values(value).some(isError)
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0
}

const hasOneOf = (json: Readonly<Record<string, unknown>>, names: readonly string[]): boolean =>
  names.some((name) => isError(json[name]))

/** An error in an object of no format: `{code, message}`, `{detail}` and the like. */
export const isBareError = (json: Readonly<Record<string, unknown>>): boolean =>
  hasOneOf(json, ['detail', 'error_code', 'error_msg', 'error_message', 'errors', 'errorMessage']) ||
  json.object === 'error' ||
  (hasOneOf(json, ['details']) && hasOneOf(json, ['code'])) ||
  (hasOneOf(json, ['message', 'msg']) &&
    (hasOneOf(json, ['code', 'status_code', 'statusCode', 'errno']) || isFailed(json.status) || json.success === false))

const isFailed = (status: unknown): boolean =>
  typeof status === 'number' ? status >= 400 : /^(?:error|fail)/i.test(String(status))

/** How the API is called and what it refuses with; what can be called is in operations.ts. */
import type { Code, Details } from '../../domain/errors.ts'

/** A refusal of the API, or `unreachable` when no answer in the API's own shape came. */
export class ApiError extends Error {
  readonly code: Code | 'unreachable'
  readonly details: Details
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code | 'unreachable', message: string, details: Details = {}, retryAfterSeconds?: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const unreachable = () =>
  new ApiError('unreachable', 'Berth cannot be reached right now. Check your connection and try again.')

/** Fires `signed-out` when a call finds that the session is over. */
export const session = new EventTarget()

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** @throws ApiError */
export async function call<T>(method: Method, path: string, body?: object): Promise<T> {
  const response = await fetch(`/api${path}`, {
    method,
    credentials: 'same-origin',
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : undefined,
  }).catch(() => {
    throw unreachable()
  })
  const text = await response.text().catch(() => '')
  if (response.ok) return parse<T>(text)
  const { error, message, details, retryAfterSeconds } = parse<ErrorBody>(text)
  if (!error || !message) throw unreachable()
  if (response.status === 401 && !path.startsWith('/auth/')) session.dispatchEvent(new Event('signed-out'))
  throw new ApiError(error, message, details, retryAfterSeconds)
}

type ErrorBody = { error?: Code; message?: string; details?: Details; retryAfterSeconds?: number }

function parse<T>(text: string): T {
  try {
    // safe because the API checks each answer against the schema that the type comes from
    return (text === '' ? {} : JSON.parse(text)) as T
  } catch {
    throw unreachable()
  }
}

/** The text to show for anything that was thrown. */
export const errorText = (thrown: unknown): string =>
  thrown instanceof ApiError ? thrown.message : 'Something went wrong on this page. Reload it and try again.'

/** A query string of the fields that are not null. */
export const query = (fields: Record<string, string | number | null>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  ).toString()

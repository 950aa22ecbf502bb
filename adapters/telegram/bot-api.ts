/** Telegram's Bot API, typed by grammY; failures are `PlatformError`s. */

import type { ApiMethods, ApiResponse } from '@grammyjs/types'
import { ChatMovedError, PlatformError } from '../../app/ports/chat-platform.ts'
import { cut } from '../../domain/text.ts'
import { secondMs } from '../../domain/time.ts'
import type { TelegramSecret } from './secret.ts'

const callMs = 10 * secondMs
/** Large files need longer. */
const fileMs = 60 * secondMs

type Methods = ApiMethods<Blob>
type Method = keyof Methods
type Parameters<M extends Method> =
  globalThis.Parameters<Methods[M]> extends []
    ? Record<string, never>
    : NonNullable<globalThis.Parameters<Methods[M]>[0]>
type Result<M extends Method> = ReturnType<Methods[M]>

export interface BotApi {
  /** @throws PlatformError */
  call<M extends Method>(method: M, parameters: Parameters<M>): Promise<Result<M>>
  /** As a form, for a method that accepts a file. */
  upload<M extends Method>(method: M, parameters: Parameters<M>): Promise<Result<M>>
  /** @param filePath Telegram's `file_path` @throws PlatformError `refused` for more than `maxBytes` */
  download(filePath: string, maxBytes: number): Promise<Uint8Array>
}

/** Telegram's error text; it contains no token and no text of a message. */
export class BotApiError extends PlatformError {
  readonly status: number
  readonly description: string

  constructor(reason: PlatformError['reason'], method: string, status: number, description: string, waitMs?: number) {
    super(reason, `Telegram's ${method} answered ${status}: ${description}`, waitMs ?? null)
    this.status = status
    this.description = description
  }
}

export function botApi({ token, apiBase }: Pick<TelegramSecret, 'token' | 'apiBase'>): BotApi {
  const base = apiBase ?? 'https://api.telegram.org'

  async function post<M extends Method>(
    method: M,
    body: RequestInit['body'],
    ms: number,
    headers = {},
  ): Promise<Result<M>> {
    if (!token) throw new PlatformError('unavailable', 'Telegram is not set up here.')
    const response = await reach(`${base}/bot${token}/${method}`, { method: 'POST', body, headers }, ms, method)
    // safe because this is what Telegram documents each answer to be; anything else is told by `ok`
    const answer = (await response.json().catch(() => null)) as ApiResponse<Result<M>> | null
    if (answer?.ok === true) return answer.result
    const { error_code = response.status, description = 'no reason', parameters } = answer ?? {}
    const movedTo = parameters?.migrate_to_chat_id
    if (Number.isSafeInteger(movedTo))
      throw new ChatMovedError(`Telegram's ${method} answered that the group has another id`, String(movedTo))
    throw new BotApiError(
      reasonOf(error_code, String(description)),
      method,
      error_code,
      cut(String(description), 200),
      parameters?.retry_after === undefined ? undefined : parameters.retry_after * secondMs,
    )
  }

  return {
    call: (method, parameters) =>
      post(method, JSON.stringify(parameters), callMs, { 'content-type': 'application/json' }),
    upload(method, parameters) {
      const form = new FormData()
      for (const [name, value] of Object.entries(parameters))
        if (value instanceof Blob) form.set(name, value)
        else if (value !== undefined) form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
      return post(method, form, fileMs)
    },
    async download(filePath, maxBytes) {
      const root = `${base}/file/bot${token}/`
      const url = URL.parse(filePath, root)
      // The address contains the token, so it must be below Telegram's root.
      if (!url?.href.startsWith(root)) throw new PlatformError('refused', 'Telegram named a file outside of its files.')
      const response = await reach(url.href, {}, fileMs, 'file')
      if (response.ok) return bounded(response, maxBytes)
      await response.body?.cancel()
      throw new BotApiError(reasonOf(response.status, ''), 'file', response.status, response.statusText)
    },
  }
}

/** The address contains the token: errors omit it, and redirects are not followed. */
async function reach(url: string, init: RequestInit, ms: number, method: string): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(ms) })
  } catch (error) {
    const slow = error instanceof Error && error.name === 'TimeoutError'
    throw new PlatformError('unavailable', `Telegram's ${method} ${slow ? 'took too long' : 'could not be reached'}.`)
  }
}

const lost = /chat not found|PEER_ID_INVALID|bot was kicked|not a member|user is deactivated|blocked by the user/i

function reasonOf(status: number, description: string): PlatformError['reason'] {
  if (status === 429) return 'rate-limited'
  if (status === 403 || lost.test(description)) return 'gone'
  // An operator must fix an unaccepted token; Telegram fixes its servers.
  if (status === 401 || status === 404 || status >= 500 || status < 400) return 'unavailable'
  return 'refused'
}

async function bounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of response.body ?? []) {
      bytes += part.length
      if (bytes > maxBytes) throw new PlatformError('refused', `The file is larger than ${maxBytes} bytes.`)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error
    throw new PlatformError('unavailable', 'The file from Telegram broke off.')
  }
  return Buffer.concat(parts)
}

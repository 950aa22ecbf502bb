import type * as z from 'zod'
import { PlatformError } from '../../app/ports/chat-platform.ts'
import { secondMs } from '../../domain/time.ts'
import type { DiscordSecret } from './secret.ts'

const timeoutMs = 10 * secondMs

interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  /** Below `/api/v10`. It may contain an interaction's token, so no error message contains it. */
  path: string
  body?: object | FormData
}

/** @throws PlatformError */
export type Call = <T>(request: Request, answer: z.ZodType<T>) => Promise<T>

/** Calls Discord's API as the bot. @throws PlatformError */
export async function callDiscord<T>(
  secret: DiscordSecret,
  { method, path, body }: Request,
  expected: z.ZodType<T>,
): Promise<T> {
  const answer = await reach(`${secret.apiBase ?? 'https://discord.com'}/api/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${secret.botToken}`,
      'user-agent': 'DiscordBot (https://berth.example, 1.0)',
      ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  })
  const json = await answer.json().catch(() => null)
  if (!answer.ok) throw problemOf(answer, json)
  const read = expected.safeParse(json)
  if (read.success) return read.data
  throw new PlatformError('unavailable', `Discord answered ${answer.status} with what it does not document`)
}

/** Follows no redirects. @throws PlatformError `unavailable` without an answer in time */
export async function reach(url: string | URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  } catch {
    throw new PlatformError('unavailable', 'Discord did not answer')
  }
}

/** Unknown channel or server, no access, or a person who accepts no messages from the bot. */
const goneCodes = [10_003, 10_004, 50_001, 50_007]

export function problemOf(answer: Response, json: unknown): PlatformError {
  const { status } = answer
  const { code, retry_after: wait } = Object(json) as { code?: unknown; retry_after?: unknown } // safe because both are unknown
  const said = `Discord answered ${status}${typeof code === 'number' && code > 0 ? ` (${code})` : ''}`
  if (status === 429) {
    const seconds = Number(typeof wait === 'number' ? wait : answer.headers.get('retry-after'))
    return new PlatformError('rate-limited', said, Number.isFinite(seconds) ? Math.ceil(seconds * secondMs) : null)
  }
  // An operator must fix a wrong token; the message waits until then.
  if (status >= 500 || status === 401 || status === 408) return new PlatformError('unavailable', said)
  return new PlatformError(typeof code === 'number' && goneCodes.includes(code) ? 'gone' : 'refused', said)
}

import type { IncomingHttpHeaders } from 'node:http'
import { parseObject } from './json.ts'

/** An error that the service answered. `message` is for people, and may be empty. */
export interface Refusal {
  status: number
  code: string
  message: string
  retryAfterSeconds: number | null
}

/** Reads an error of the service's own addresses, and of those of vendors' SDKs, where `error` is an object. */
export function readRefusal(status: number, headers: IncomingHttpHeaders, text: string): Refusal {
  const body = parseObject<Record<string, unknown>>(text)
  const { code, message } = isObject(body.error) ? body.error : { code: body.error, message: body.message }
  const waitSeconds = Number(body.retryAfterSeconds ?? headers['retry-after'])
  return {
    status,
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof message === 'string' ? message : '',
    retryAfterSeconds: Number.isFinite(waitSeconds) ? waitSeconds : null,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

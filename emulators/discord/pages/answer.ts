import type { Discord } from '../api/route.ts'
import type { Gateway } from '../gateway/server.ts'

/** The pages' view of the emulator. */
export interface Pages extends Discord {
  gateway: Gateway
  /** Raised by each change. */
  version: number
}

export interface Answer {
  status: number
  type: string
  body: string | Buffer
}

export const json = (body: object, status = 200): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
})
export const problem = (message: string, status = 404): Answer => json({ message }, status)

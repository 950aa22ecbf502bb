import type { Prompt } from '../../domain/chat/message.ts'
import type { ChatDrafts } from './chat-drafts.ts'
import { type GrowingReplies, maxReportCharacters } from './growing-replies.ts'
import type { HeldPrompts } from './held-prompts.ts'

/** The unchecked body of the runtime's POST to `/agent/…`. */
export interface Report {
  path: string
  kind?: unknown
  promptId?: unknown
  text?: unknown
  from?: unknown
  key?: unknown
  attachments?: unknown
}

/** A reply is given up at this sum of refusals: two refusals, or two tries of which each was retried once. */
const mostRefusals = 4

/** The weight of a status as a refusal: a service's internal error may pass, so it counts half. */
function refusalOf(status: number): number {
  if (status === 500) return 1
  return status >= 400 && status < 500 && !passing.has(status) ? 2 : 0
}
/** Expired token, closed prompt, timeout, rate limit. */
const passing = new Set([401, 404, 408, 429])

interface ReportsOptions {
  held: HeldPrompts
  replies: GrowingReplies
  drafts: ChatDrafts
  /** The service refuses the reply for good. */
  refused(promptId: string): void
  replied(): void
  /** Another prompt of the conversation may be free now. */
  closed(promptId: string): void
  /** Values of the user's variables, masked in activity reports. */
  secrets(): readonly string[]
}

/** Handles the runtime's reports about prompts: sends growing replies itself, and notes the others. */
export class RuntimeReports {
  readonly #options: ReportsOptions
  readonly #refusals = new Map<string, number>()

  constructor(options: ReportsOptions) {
    this.#options = options
  }

  begin(prompt: Prompt): void {
    const { replies, drafts } = this.#options
    replies.begin(prompt.id, prompt.attempt)
    drafts.begin(prompt)
  }

  /** Answers a report that the service does not need; undefined for others, and for those it would refuse. */
  take({ path, kind, promptId, text = '', from = 0, ...others }: Report): { status: number; body: object } | undefined {
    const { held, replies, drafts } = this.#options
    if (path !== '/agent/observe' || kind !== 'progress' || Object.keys(others).length > 0) return undefined
    if (typeof promptId !== 'string' || !held.has(promptId)) return undefined
    if (typeof text !== 'string' || text.length > maxReportCharacters) return undefined
    if (typeof from !== 'number' || !Number.isInteger(from) || from < 0) return undefined
    held.progress(promptId)
    const known = text === '' ? from : replies.grow(promptId, from, text)
    drafts.grew(promptId)
    if (known >= from) return { status: 200, body: { accepted: true } }
    const message = `The text is known up to character ${known}: send it from there.`
    return { status: 400, body: { error: 'validation', message, details: { from: [message] } } }
  }

  /** Keeps the lease during a long report. */
  working({ promptId }: Report): void {
    if (typeof promptId === 'string') this.#options.held.progress(promptId)
  }

  /** Applies a report that the service has answered. */
  answered({ path, kind, promptId }: Report, status: number): void {
    const { held, replies, drafts, replied, closed } = this.#options
    if (kind === 'reply' && status === 200) replied()
    if (typeof promptId !== 'string' || !held.has(promptId)) return
    if (kind === 'reply') this.#countRefusal(promptId, status)
    const isOver = status === 404 || (path === '/agent/feedback' && status === 200)
    if (isOver || (kind === 'reply' && status === 200)) {
      replies.forget(promptId)
      drafts.forget(promptId)
    }
    if (!isOver) return
    this.#refusals.delete(promptId)
    held.close(promptId)
    closed(promptId)
  }

  #countRefusal(promptId: string, status: number): void {
    const refusals = (this.#refusals.get(promptId) ?? 0) + refusalOf(status)
    if (refusals > 0) this.#refusals.set(promptId, refusals)
    if (refusals >= mostRefusals && refusalOf(status) > 0) this.#options.refused(promptId)
  }

  /** Masks the values of the user's variables in activity reports. */
  masked({ kind }: Report, body: Buffer): Buffer {
    if (kind !== 'activity') return body
    const written = this.#options.secrets().map((value) => JSON.stringify(value).slice(1, -1))
    const text = written.reduce((rest, value) => rest.replaceAll(value, '[redacted]'), body.toString('utf8'))
    return Buffer.from(text)
  }
}

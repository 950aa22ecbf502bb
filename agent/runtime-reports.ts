import type { Prompt } from '../domain/chat/message.ts'
import type { ChatDrafts } from './chat-drafts.ts'
import { type GrowingReplies, maxReportCharacters } from './growing-replies.ts'
import type { HeldPrompts } from './held-prompts.ts'

/** The body of the runtime's POST to `/agent/…`, not read yet. */
export interface Report {
  path: string
  kind?: unknown
  promptId?: unknown
  text?: unknown
  from?: unknown
  key?: unknown
  attachments?: unknown
}

/** A reply is given up at this sum: after two refusals, or after two tries of which each was repeated once. */
const mostRefusals = 4

/** How much a status says that a reply will never be taken: an error of the service's own may pass. */
function refusalOf(status: number): number {
  if (status === 500) return 1
  return status >= 400 && status < 500 && !passing.has(status) ? 2 : 0
}
/** A token that ended, a prompt that is closed, what takes too long, and what comes too often. */
const passing = new Set([401, 404, 408, 429])

interface ReportsOptions {
  held: HeldPrompts
  replies: GrowingReplies
  drafts: ChatDrafts
  /** The service does not take the reply to a prompt, however often it is sent. */
  refused(promptId: string): void
  /** The runtime's reply was taken. */
  replied(): void
  /** A prompt is closed: another one of its conversation may be free. */
  closed(promptId: string): void
  /** The values of the user's variables, which no report on what is done may show. */
  secrets(): readonly string[]
}

/** The runtime's reports about its prompts: the supervisor sends growing replies itself, and notes the rest. */
export class RuntimeReports {
  readonly #options: ReportsOptions
  readonly #refusals = new Map<string, number>()

  constructor(options: ReportsOptions) {
    this.#options = options
  }

  /** A prompt was handed out. */
  begin(prompt: Prompt): void {
    const { replies, drafts } = this.#options
    replies.begin(prompt.id, prompt.attempt)
    drafts.begin(prompt)
  }

  /** The answer to a report that the service need not see; undefined for any other, and for what it would refuse. */
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

  /** A report takes a while, in which its prompt is worked on. */
  working({ promptId }: Report): void {
    if (typeof promptId === 'string') this.#options.held.progress(promptId)
  }

  /** The effect of a report that the service has seen. */
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

  /** A report as it is sent on: what tells of the agent's doing names no value of the user's variables. */
  masked({ kind }: Report, body: Buffer): Buffer {
    if (kind !== 'activity') return body
    const written = this.#options.secrets().map((value) => JSON.stringify(value).slice(1, -1))
    const text = written.reduce((rest, value) => rest.replaceAll(value, '[redacted]'), body.toString('utf8'))
    return Buffer.from(text)
  }
}

/** Messages on their way to the service: kept over reloads until it has taken them, each of them once. */
import { BerthError } from '../../clients/typescript/client.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Message } from '../../domain/chat/message.ts'
import { errorText } from '../api/client.ts'

export interface Outgoing {
  /** Its name for the service, which takes a message of one name once. */
  key: string
  conversation: string
  text: string
  attachments: Attachment[]
  /** When it was written, ISO 8601. */
  at: string
  /** The last message that was known then; null when none was. */
  after: string | null
  /** It may have been taken, and the answer lost. */
  attempted: boolean
  /** Why it was refused, in words; null while it is on its way. */
  problem: string | null
}

/** The outbox's interface to the page and the service. */
export interface OutboxPorts {
  send(message: Outgoing): Promise<Message>
  /** Whether the service has this message already. */
  wasTaken(message: Outgoing): Promise<boolean>
  /** One page of those that share a storage at a time. */
  alone(work: () => Promise<void>): Promise<void>
  read(): string | null
  write(text: string): void
  after(ms: number, run: () => void): void
}

const waitsMs = [2_000, 5_000, 10_000, 20_000, 30_000]

/** The service could not be asked, or not now: it is asked again. */
const isPassing = (thrown: unknown): boolean =>
  thrown instanceof BerthError && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500)

export class Outbox {
  readonly #ports: OutboxPorts
  readonly #onTaken: (message: Message) => void
  readonly #listeners = new Set<() => void>()
  /** Messages that this page has started to send: the service knows their keys as its own session's. */
  readonly #own = new Set<string>()
  #shown: readonly Outgoing[]
  #failures = 0
  #flushing: Promise<void> | null = null

  constructor(ports: OutboxPorts, onTaken: (message: Message) => void) {
    this.#ports = ports
    this.#onTaken = onTaken
    this.#shown = parse(ports.read())
  }

  /** In the order in which they were written. */
  readonly all = (): readonly Outgoing[] => this.#shown

  /** True while the service does not answer: what is here is sent once it does. */
  get isWaiting(): boolean {
    return this.#failures > 0
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(message: Pick<Outgoing, 'key' | 'conversation' | 'text' | 'attachments' | 'at' | 'after'>): void {
    this.#change((all) => [...all, { ...message, attempted: false, problem: null }])
    void this.flush()
  }

  /** Tries a refused one once more, under a new name: the service keeps to what it said to the old one. */
  retry(key: string, next: string): void {
    this.#change((all) =>
      all.map((message) =>
        message.key === key ? { ...message, key: next, attempted: false, problem: null } : message,
      ),
    )
    void this.flush()
  }

  drop(key: string): void {
    this.#change((all) => all.filter((message) => message.key !== key))
  }

  /** Another page of this browser has changed what is kept. */
  reread(): void {
    this.#show(parse(this.#ports.read()))
  }

  /** Sends what is kept, one after another. */
  flush(): Promise<void> {
    this.#flushing ??= this.#ports
      .alone(() => this.#sendAll())
      .finally(() => {
        this.#flushing = null
      })
    return this.#flushing
  }

  async #sendAll(): Promise<void> {
    this.reread()
    for (;;) {
      const next = this.#shown.find(({ problem }) => problem === null)
      if (!next) return
      try {
        await this.#send(next)
        this.#failures = 0
      } catch (thrown) {
        if (isPassing(thrown)) return this.#wait()
        this.#change((all) =>
          all.map((message) => (message.key === next.key ? { ...message, problem: errorText(thrown) } : message)),
        )
      }
    }
  }

  async #send(message: Outgoing): Promise<void> {
    const { key } = message
    if (message.attempted && !this.#own.has(key) && (await this.#ports.wasTaken(message))) return this.drop(key)
    this.#own.add(key)
    this.#change((all) => all.map((other) => (other.key === key ? { ...other, attempted: true } : other)))
    const taken = await this.#ports.send(message)
    this.#onTaken(taken)
    this.drop(key)
  }

  #wait(): void {
    this.#ports.after(waitsMs[Math.min(this.#failures, waitsMs.length - 1)] ?? 0, () => void this.flush())
    this.#failures += 1
    this.#show(this.#shown.slice())
  }

  #change(to: (all: readonly Outgoing[]) => Outgoing[]): void {
    const next = to(parse(this.#ports.read()))
    this.#ports.write(JSON.stringify(next))
    this.#show(next)
  }

  #show(next: readonly Outgoing[]): void {
    this.#shown = next
    for (const listener of this.#listeners) listener()
  }
}

function parse(text: string | null): Outgoing[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    // safe because only this class writes there
    return Array.isArray(kept) ? (kept as Outgoing[]) : []
  } catch {
    return []
  }
}

/** The messages that the conversation does not contain yet: each outgoing message equals at most one stored message. */
export function notYetTaken(outgoing: readonly Outgoing[], messages: readonly Message[]): Outgoing[] {
  const own = messages.filter(({ role }) => role === 'user')
  const seen = new Set<string>()
  return outgoing.filter(({ text, after, attempted, problem }) => {
    if (!attempted || problem !== null) return true
    const taken = own.find((message) => message.text === text && message.id > (after ?? '') && !seen.has(message.id))
    if (taken) seen.add(taken.id)
    return taken === undefined
  })
}

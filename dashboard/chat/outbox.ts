/** Messages under way: kept over reloads until the service has taken each of them once. */
import { BerthError } from '../../clients/typescript/client.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Message } from '../../domain/chat/message.ts'
import { errorText } from '../data/client.ts'

export interface Outgoing {
  /** The service takes a message of one key once. */
  key: string
  conversation: string
  text: string
  attachments: readonly Attachment[]
  /** The first version of the message of which this is a new one. */
  replaces?: string
  /** Time of writing, ISO 8601. */
  at: string
  /** Id of the last known message at that time; null for none. */
  after: string | null
  /** The service may have taken it, and the answer been lost. */
  attempted: boolean
  /** Why it was refused; null while it is under way. */
  problem: string | null
}

interface OutboxPorts {
  send(message: Outgoing): Promise<Message>
  wasTaken(message: Outgoing): Promise<boolean>
  /** Runs in one page at a time, of all that share the storage. */
  alone(work: () => Promise<void>): Promise<void>
  read(): string | null
  write(text: string): void
  after(ms: number, run: () => void): void
}

const waitsMs = [2_000, 5_000, 10_000, 20_000, 30_000]

/** Failures that may pass, so the message is sent again. */
const isPassing = (thrown: unknown): boolean =>
  thrown instanceof BerthError && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500)

const isSignedOut = (thrown: unknown): boolean => thrown instanceof BerthError && thrown.status === 401

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

  /** In the order of writing. */
  readonly all = (): readonly Outgoing[] => this.#shown

  /** True while the service does not answer. */
  get isWaiting(): boolean {
    return this.#failures > 0
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(message: Omit<Outgoing, 'attempted' | 'problem'>): void {
    this.#change((all) => [...all, { ...message, attempted: false, problem: null }])
    void this.flush()
  }

  /** Retries a refused message under a new key: the service repeats its answer to the old one. */
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

  /** Drops what was to be sent in a deleted conversation. */
  forget(conversation: string): void {
    this.#change((all) => all.filter((message) => message.conversation !== conversation))
  }

  reread(): void {
    this.#show(parse(this.#ports.read()))
  }

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
        // The page that opens after the next sign-in sends it.
        if (isSignedOut(thrown)) return
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

/** Messages that the conversation lacks: each outgoing message matches at most one stored message. */
export function notYetTaken(outgoing: readonly Outgoing[], messages: readonly Message[]): Outgoing[] {
  const own = messages.filter(({ role }) => role === 'user')
  const matched = new Set<string>()
  return outgoing.filter(({ text, after, attempted, problem }) => {
    if (!attempted || problem !== null) return true
    const taken = own.find((message) => message.text === text && message.id > (after ?? '') && !matched.has(message.id))
    if (taken) matched.add(taken.id)
    return taken === undefined
  })
}

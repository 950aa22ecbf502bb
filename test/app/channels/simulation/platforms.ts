/**
 * Chat platforms as their callers experience them: slow, strict, down for an hour, and sometimes silent about completed
 * calls.
 */

import type { WebhookRequest } from '../../../../app/channels/receive.ts'
import { type ChatPlatform, type Content, PlatformError } from '../../../../app/ports/chat-platform.ts'
import { type Chat, chatKey, inbound } from '../../../../domain/channels/inbound.ts'
import { type Platform, platformLimits } from '../../../../domain/channels/platform.ts'
import { hourMs, minuteMs, secondMs } from '../../../../domain/time.ts'
import type { VirtualClock } from './clock.ts'
import { currentRun, type Functions, type Run } from './functions.ts'

/** Maximum run time of a function, ms. */
const functionMs = 2 * minuteMs
/** The time for which Discord remembers a nonce, ms. */
const nonceMs = 5 * minuteMs

/** One of our messages as it is shown in a chat. */
export interface Standing {
  id: string
  /** Its outgoing message, by key, and its part. */
  of: string
  part: number
  text: string
  buttons: readonly { data: string; label: string }[]
  file: boolean
  sentMs: number
}

interface Trouble {
  /** The number of failures in a thousand calls. */
  limited: number
  unavailable: number
  lost: number
  slow: number
}

export const noTrouble: Trouble = { limited: 0, unavailable: 0, lost: 0, slow: 0 }

type To = { chat: Chat; key?: string; userId?: string }

/** Observed effects of calls, for the checks. */
interface Watch {
  mistake(what: string): void
  /** One of our messages is shown in a chat. */
  shown(platform: SimulatedPlatform, to: To, message: Standing): void
}

export class SimulatedPlatform {
  readonly name: Platform
  readonly chats = new Map<string, Standing[]>()
  readonly gone = new Set<string>()
  readonly owners = new Map<string, string>()
  readonly happened = { calls: 0, limited: 0, unavailable: 0, lost: 0, slow: 0, accepted: 0, early: 0 }
  /** Messages whose acceptance nobody learned, which may therefore remain without a record: by key. */
  readonly orphansAllowed = new Map<string, number>()
  trouble: Trouble = noTrouble
  /** It is down between these times. */
  down: [fromMs: number, toMs: number] = [0, 0]
  readonly #clock: VirtualClock
  readonly #functions: Functions
  readonly #random: (below: number) => number
  readonly #watch: Watch
  readonly #waits = new Map<string, { fromMs: number; untilMs: number; run: Run | undefined; lostBefore: boolean }>()
  readonly #chatWaits = new Map<string, number>()
  readonly #grown = new Map<string, number>()
  readonly #nonces = new Map<string, { id: string; atMs: number }>()
  #made = 0

  constructor(
    name: Platform,
    {
      clock,
      functions,
      random,
      watch,
    }: { clock: VirtualClock; functions: Functions; random: (below: number) => number; watch: Watch },
  ) {
    this.name = name
    this.#clock = clock
    this.#functions = functions
    this.#random = random
    this.#watch = watch
  }

  standing(chat: Pick<Chat, 'id'>): Standing[] {
    const found = this.chats.get(chat.id) ?? []
    this.chats.set(chat.id, found)
    return found
  }

  /** The port that the service uses. */
  get port(): ChatPlatform {
    const call = <T>(to: To, what: string, act: () => T) => this.#functions.outside(() => this.#call(to, what, act))
    const port: ChatPlatform = {
      about: async () => null,
      read: async (request: WebhookRequest) =>
        request.headers['x-secret'] === this.name
          ? { kind: 'inbound', inbound: inbound.array().parse(JSON.parse(request.rawBody)), answer: null }
          : { kind: 'refused', why: 'wrong secret' },
      send: (to, { text, buttons = [] }, key) => call(to, 'send', () => this.#add(to, key, { text, buttons })),
      edit: (to, messageId, content) => call(to, 'edit', () => this.#change(to, messageId, content)),
      typing: (to) => call({ chat: to.chat }, 'typing', () => {}),
      sendFile: (to, { name }, key) => call(to, 'send', () => this.#add(to, key, { text: name }, true)),
      fetchFile: (chat, { ref }) =>
        call({ chat, key: `file ${ref}` }, 'fetch', () => {
          if (ref.includes('broken')) throw new PlatformError('refused', 'it is too large')
          return new Uint8Array(3)
        }),
      ownsChat: (chat, personId) => call({ chat }, 'owner', () => this.owners.get(chat.id) === personId),
    }
    if (this.name === 'discord') return port
    return {
      ...port,
      // One platform has drafts in direct chats, which are not messages; the other streams into a message.
      grow: (to, text, { key, messageId }) =>
        call(to, messageId === null ? 'send' : 'edit', () => {
          if (this.name === 'telegram' && to.chat.kind === 'direct') return { messageId: null }
          if (messageId === null) return this.#add(to, key, { text })
          this.#change(to, messageId, { text })
          return { messageId }
        }),
    }
  }

  #add(to: To, key: string, { text, buttons = [] }: Content, file = false): { messageId: string } {
    const nonce = this.name === 'discord' ? this.#nonces.get(`${to.chat.id} ${key}`) : undefined
    if (nonce && this.#clock.nowMs - nonce.atMs < nonceMs) return { messageId: nonce.id }
    const id = `${this.name}-${++this.#made}`
    this.#nonces.set(`${to.chat.id} ${key}`, { id, atMs: this.#clock.nowMs })
    const part = Number(key.slice(key.lastIndexOf('.') + 1))
    const message = { id, of: keyOf(to), part, text, buttons, file, sentMs: this.#clock.nowMs }
    this.standing(to.chat).push(message)
    this.#checkText(text)
    this.#watch.shown(this, to, message)
    return { messageId: id }
  }

  #change(to: To, messageId: string, { text, buttons = [] }: Content): void {
    const message = this.standing(to.chat).find(({ id }) => id === messageId)
    if (!message) throw new PlatformError('refused', 'there is no such message')
    if (message.of !== keyOf(to)) this.#watch.mistake(`${keyOf(to)} was written over ${message.of}`)
    message.text = text
    message.buttons = buttons
    this.#checkText(text)
    this.#watch.shown(this, to, message)
  }

  #checkText(text: string): void {
    if (text.length > platformLimits[this.name].textCharacters)
      this.#watch.mistake(`${text.length} characters were sent`)
  }

  async #call<T>(to: To, what: string, act: () => T): Promise<T> {
    this.happened.calls++
    if (what !== 'typing') this.#checkTimes(to, what)
    const chance = this.#random(1000)
    const { limited, unavailable, lost, slow } = this.trouble
    if (slow > 0 && this.#random(3) === 0) await this.#wait(this.#random(1_500))
    if (chance < slow) {
      this.happened.slow++
      await this.#wait(5 * secondMs + this.#random(140 * secondMs))
    }
    if (this.gone.has(to.chat.id)) throw new PlatformError('gone', 'the chat is no more')
    const [from, until] = this.down
    if ((this.#clock.nowMs >= from && this.#clock.nowMs < until) || this.#random(1000) < unavailable) {
      this.happened.unavailable++
      throw new PlatformError('unavailable', 'down')
    }
    if (this.#random(1000) < limited) throw this.#limit(to)
    const result = act()
    this.happened.accepted++
    const run = currentRun()
    // From here to the write of its id, a crash leaves a message without a record.
    const made = what === 'send' && hasMessage(result)
    if (made && run?.dead) this.allowOrphan(keyOf(to))
    else if (made) run?.unrecorded.set(keyOf(to), () => this.allowOrphan(keyOf(to)))
    if (this.#random(1000) < lost) {
      this.happened.lost++
      if (made && run && !run.dead) allowOrphansOf(run, keyOf(to))
      throw new PlatformError('unavailable', 'no answer came')
    }
    if (run?.dead) return new Promise(() => {})
    return result
  }

  allowOrphan(of: string): void {
    this.orphansAllowed.set(of, (this.orphansAllowed.get(of) ?? 0) + 1)
  }

  /** Takes time; a function that waits for too long is ended, while its request is completed all the same. */
  async #wait(ms: number): Promise<void> {
    const run = currentRun()
    const leftMs = run ? run.startedMs + functionMs - this.#clock.nowMs : ms
    if (run && ms > leftMs)
      this.#clock.after(Math.max(0, leftMs), () => {
        if (run.dead) return
        run.dead = true
        this.#functions.happened.crashes++
        run.die()
      })
    await this.#clock.sleep(ms)
  }

  #limit(to: To): PlatformError {
    this.happened.limited++
    const waitMs = (1 + this.#random(60)) * secondMs
    const untilMs = this.#clock.nowMs + waitMs
    // A function that was ended before the answer arrived does not know the result.
    const run = currentRun()
    if (to.key && !run?.dead)
      this.#waits.set(keyOf(to), { fromMs: this.#clock.nowMs, untilMs, run, lostBefore: run?.lostWrite ?? false })
    this.#chatWaits.set(chatKey({ platform: this.name, id: to.chat.id }), untilMs)
    return new PlatformError('rate-limited', 'too many', waitMs)
  }

  #checkTimes(to: To, what: string): void {
    const { nowMs } = this.#clock
    const wait = to.key ? this.#waits.get(keyOf(to)) : undefined
    // Two runs that handle the same delivery may both have begun before one knew the result.
    const mayKnow = what !== 'fetch' || (currentRun()?.startedMs ?? nowMs) > (wait?.fromMs ?? 0)
    // The write that should have told other runs was lost. A run has at most one fault.
    const isUntold = wait?.run?.lostWrite && !wait.lostBefore && currentRun() !== wait.run
    if (wait && nowMs < wait.untilMs && mayKnow && !isUntold)
      this.#watch.mistake(`${keyOf(to)} was tried before the platform’s retry_after`)
    if (nowMs < (this.#chatWaits.get(chatKey({ platform: this.name, id: to.chat.id })) ?? 0)) this.happened.early++
    const run = currentRun()
    if (run?.what !== 'grow' || !to.key) return
    const before = this.#grown.get(keyOf(to))
    const paceMs = platformLimits[this.name].paceMs[to.chat.kind]
    if (before !== undefined && run.startedMs - before < paceMs)
      this.#watch.mistake(`${keyOf(to)} grew ${run.startedMs - before} ms after it grew`)
    this.#grown.set(keyOf(to), run.startedMs)
  }
}

const hasMessage = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'messageId' in result && result.messageId !== null

const keyOf = ({ userId = '', key = '' }: To): string => `${userId} ${key}`

/**
 * Allows orphans of a run that ended between a platform’s acceptance and our write of it, for one message or for all.
 */
export function allowOrphansOf(run: Run, only?: string): void {
  for (const [of, allow] of run.unrecorded)
    if (only === undefined || only === of) {
      allow()
      run.unrecorded.delete(of)
    }
}

export const outageMs = hourMs

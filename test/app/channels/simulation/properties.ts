/** The invariants of chats, whatever goes wrong. */
import type { Ports } from '../../../../adapters/ports.ts'
import { type InboundDelivery, isLineKey, lineKey, type Outgoing } from '../../../../domain/channels/delivery.ts'
import { type Chat, chatKey, type Inbound } from '../../../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../../../domain/channels/link.ts'
import { type Platform, platformLimits } from '../../../../domain/channels/platform.ts'
import { splitText } from '../../../../domain/channels/split.ts'
import type { Message } from '../../../../domain/chat/message.ts'
import { promptIdOf } from '../../../../domain/chat/names.ts'
import type { VirtualClock } from './clock.ts'
import { currentRun, type Run } from './functions.ts'
import type { SimulatedPlatform, Standing } from './platforms.ts'
import type { Change } from './watched-ports.ts'

/** A person's action, and the facts about it. */
export interface Said {
  inbound: Inbound
  /** Whether its platform ever got an answer. */
  answered: boolean
  runs: number
}

interface Linked {
  link: LinkRecord
  untilMs: number
}

const marks = (text: string): number[] => [...text.matchAll(/in:(\d+)/g)].map(([, number]) => Number(number))

export class Properties {
  readonly mistakes: string[] = []
  readonly counts = {
    messages: 0,
    prompts: 0,
    replies: 0,
    ended: 0,
    lines: 0,
    ignored: 0,
    failedInbound: 0,
    sent: 0,
    failedOutgoing: 0,
    parts: 0,
    files: 0,
    questions: 0,
    orphans: 0,
    orphansAllowed: 0,
    replayed: 0,
    contextLines: 0,
  }
  /** Questions whose answers no stream reported. */
  readonly unheard = new Set<string>()
  readonly #seed: number
  readonly #clock: VirtualClock
  readonly #said: Said[] = []
  readonly #byPlace = new Map<string, Said>()
  readonly #prompts = new Map<string, { userId: string; said: Said | null }>()
  readonly #replies = new Map<string, Message>()
  readonly #links = new Map<string, Linked[]>()
  readonly #floods = new Set<string>()
  readonly #settled = new Set<string>()
  readonly #out = new Map<string, Extract<Change, { table: 'out' }>>()

  constructor(seed: number, clock: VirtualClock) {
    this.#seed = seed
    this.#clock = clock
  }

  mistake(what: string): void {
    this.mistakes.push(`seed ${this.#seed}: ${what}`)
  }

  said(mark: number, inbound: Inbound): Said {
    const said = { inbound, answered: false, runs: 0 }
    this.#said[mark] = said
    this.#byPlace.set(placeOf(inbound), said)
    return said
  }

  changedOut(change: Extract<Change, { table: 'out' }>): void {
    this.#out.set(`${change.userId} ${change.key}`, change)
  }

  linked(link: LinkRecord): void {
    const all = this.#links.get(chatKey(link.chat)) ?? []
    if (all.some(({ untilMs }) => untilMs === Infinity)) this.mistake(`${chatKey(link.chat)} was linked twice`)
    this.#links.set(chatKey(link.chat), [...all, { link, untilMs: Infinity }])
  }

  unlinked({ chat, id }: LinkRecord): void {
    for (const known of this.#links.get(chatKey(chat)) ?? [])
      if (known.link.id === id) known.untilMs = this.#clock.nowMs
  }

  linkOf(chat: Chat): LinkRecord | null {
    return this.#links.get(chatKey(chat))?.find(({ untilMs }) => untilMs === Infinity)?.link ?? null
  }

  /** Beyond the rate limit: one record is stored for all dropped messages. */
  kept({ inbound }: InboundDelivery): void {
    if (inbound.person.bot) this.mistake(`what the bot ${inbound.person.id} says was kept`)
    if (inbound.what.kind === 'flood') this.#floods.add(chatKey(inbound.chat))
  }

  settled({ inbound }: InboundDelivery): void {
    this.#settled.add(placeOf(inbound))
  }

  replayed(delivery: InboundDelivery | null): void {
    this.counts.replayed++
    if (delivery) this.#settled.delete(placeOf(delivery.inbound))
  }

  /** A user’s agent gets a prompt. @returns whether it is a new one */
  received(userId: string, message: Message, run: Run | undefined): boolean {
    if (this.#prompts.has(message.id)) return false
    // Messages of other people precede it, a line each.
    const own = message.text.slice(message.text.lastIndexOf('\n') + 1)
    const [mark] = marks(own.slice(0, 20))
    const said = mark === undefined ? null : (this.#said[mark] ?? null)
    this.#prompts.set(message.id, { userId, said })
    this.counts.prompts++
    if (!said) this.mistake(`an agent was asked what nobody asked: ${own.slice(0, 50)}`)
    else this.#checkPrompt(userId, said, message, run)
    return true
  }

  #checkPrompt(userId: string, said: Said, message: Message, run: Run | undefined): void {
    const { inbound } = said
    const name = `${inbound.id} of ${chatKey(inbound.chat)}`
    said.runs++
    if (said.runs > 1) this.mistake(`${name} was run ${said.runs} times`)
    // safe because the watched port writes this note
    const link = run?.notes.get(`link ${chatKey(inbound.chat)}`) as LinkRecord | null | undefined
    if (link?.userId !== userId || chatKey(link.chat) !== chatKey(inbound.chat))
      this.mistake(`${name} went to the agent of somebody else`)
    if (link?.personId !== inbound.person.id) this.mistake(`${name} is of somebody else of the chat`)
    if (inbound.what.kind !== 'message' || !inbound.what.addressed) this.mistake(`${name} was not meant for the agent`)
    const others = marks(message.text).slice(0, -1)
    this.counts.contextLines += others.length
    for (const other of others) {
      const of = this.#said[other]
      if (!of || chatKey(of.inbound.chat) !== chatKey(inbound.chat))
        this.mistake(`${name} tells what was said elsewhere`)
    }
    const open = (run?.notes.get(`open ${chatKey(inbound.chat)}`) ?? new Set()) as Set<string> // safe likewise
    for (const id of open)
      if (id < inbound.id && !this.#settled.has(placeOf({ chat: inbound.chat, id })))
        this.mistake(`${name} overtook ${id}`)
  }

  replied(promptId: string, message: Message): void {
    if (!this.#replies.has(promptId)) this.#replies.set(promptId, message)
  }

  shown(platform: Platform, to: { chat: Chat; key?: string; userId?: string }, { text }: Standing): void {
    const { chat, key = '', userId = '' } = to
    if (isLineKey(key)) {
      if (/\bre:/.test(text)) this.mistake(`a line says what an agent said: ${key}`)
      return
    }
    const startedMs = currentRun()?.startedMs ?? this.#clock.nowMs
    const links = this.#links.get(chatKey(chat)) ?? []
    if (!links.some(({ link, untilMs }) => link.userId === userId && untilMs >= startedMs))
      this.mistake(`${key} of ${userId} was shown in a chat of somebody else on ${platform}`)
    for (const [, of] of text.matchAll(/\bre:\w+:(usr_\w{26})/g))
      if (of !== userId) this.mistake(`${key} of ${userId} shows what the agent of ${of} said`)
  }

  /** Checks all invariants once nothing is left to do. */
  async check(ports: Ports, platforms: Record<Platform, SimulatedPlatform>): Promise<void> {
    for (const said of this.#byPlace.values()) await this.#checkInbound(ports, said)
    for (const { userId, key } of this.#out.values()) {
      const message = await ports.outgoingMessages.find(userId, key)
      // A question or reply that was already sent under its key is not written again.
      if (message) await this.#checkOutgoing(ports, message, platforms[message.chat.platform])
    }
    for (const [messageId, { userId }] of this.#prompts) {
      const promptId = promptIdOf(messageId)
      const found = await ports.outgoingMessages.find(userId, promptId)
      const reply = this.#replies.get(promptId)
      if (!found) this.mistake(`${promptId} has no place for its reply`)
      else if (found.state === 'open') this.mistake(`${promptId} is waited for for ever`)
      else if (reply && found.final?.text !== reply.text) this.mistake(`${promptId} says something else than its reply`)
      if (reply) this.counts.replies++
      else this.counts.ended++
    }
    for (const platform of Object.values(platforms)) this.#checkOrphans(platform)
  }

  async #checkInbound(ports: Ports, { inbound, answered, runs }: Said): Promise<void> {
    const { chat, id, person, what } = inbound
    if (!answered || person.bot || what.kind === 'deleted') {
      if (runs > 0 && (person.bot || what.kind === 'deleted')) this.mistake(`${id} of ${chatKey(chat)} asks nothing`)
      return
    }
    const name = `${id} of ${chatKey(chat)}`
    const kept = await ports.inboundDeliveries.find(chat, id)
    if (!kept && this.#floods.has(chatKey(chat))) return
    if (!kept) return this.mistake(`${name} was answered and not kept`)
    if (kept.state === 'received') return this.mistake(`${name} is never seen through`)
    if (kept.state === 'ignored') this.counts.ignored++
    if (kept.state === 'failed') this.counts.failedInbound++
    if (what.kind !== 'message') return
    this.counts.messages++
    if (kept.reason !== null || runs === 1) return
    const line = await ports.outgoingMessages.find(kept.userId ?? `nobody#${chat.platform}`, lineKey(kept.messageId))
    if (!line) this.mistake(`${name} was neither run nor answered (${kept.state})`)
  }

  async #checkOutgoing(ports: Ports, message: Outgoing, platform: SimulatedPlatform): Promise<void> {
    const { userId, key, state, final, chat } = message
    const name = `${key} of ${userId}`
    const isLine = isLineKey(key)
    if (state === 'sending') return this.mistake(`${name} is never sent`)
    if (state === 'open') return
    if (state === 'failed') this.counts.failedOutgoing++
    else this.counts.sent++
    if (isLine) this.counts.lines++
    const sent = await ports.outgoingMessages.sent(userId, key)
    const standing = platform.standing(chat).filter(({ of }) => of === `${userId} ${key}`)
    const parts = splitText(final?.text ?? '', platformLimits[chat.platform].textCharacters)
    if (state === 'sent') this.#checkSent(name, message, parts, sent.messageIds, standing)
    const others = standing.filter(({ id, file }) => !file && !sent.messageIds.includes(id))
    const [only] = parts
    if (parts.length === 1 && others.some(({ text }) => text === only)) this.mistake(`${name} stands there twice`)
    const files = standing.filter(({ file }) => file).length
    this.counts.files += files
    const wanted = state === 'sent' ? (final?.attachments?.length ?? 0) : sent.files
    if (files < wanted) this.mistake(`${name} lacks a file`)
    const allowed = platform.orphansAllowed.get(`${userId} ${key}`) ?? 0
    const orphans = others.length + Math.max(0, files - wanted)
    this.counts.orphans += orphans
    this.counts.orphansAllowed += allowed
    if (orphans > allowed) this.mistake(`${name} left ${orphans} messages behind; ${allowed} may be`)
    if (key.startsWith('qst_')) await this.#checkQuestion(ports, message, standing)
  }

  #checkSent(
    name: string,
    { final }: Outgoing,
    parts: readonly string[],
    ids: readonly string[],
    all: Standing[],
  ): void {
    this.counts.parts += parts.length
    const shown = ids.map((id) => all.find((standing) => standing.id === id))
    for (const [i, part] of parts.entries())
      if (shown[i]?.text !== part)
        this.mistake(`${name}: its part ${i} says ${JSON.stringify(shown[i]?.text.slice(0, 60))}`)
    const times = shown.map((standing) => standing?.sentMs ?? 0)
    if (times.some((ms, i) => i > 0 && ms < (times[i - 1] ?? 0))) this.mistake(`${name}: its parts are not in order`)
    if ((shown.at(parts.length - 1)?.buttons.length ?? 0) !== (final?.buttons?.length ?? 0))
      this.mistake(`${name} has other buttons`)
  }

  async #checkQuestion(ports: Ports, { userId, key, state }: Outgoing, standing: readonly Standing[]): Promise<void> {
    this.counts.questions++
    const question = await ports.questions.find(userId, key, this.#clock.nowMs)
    const hasButtons = standing.some(({ buttons }) => buttons.length > 0)
    if (question?.state === 'answered' && state === 'sent' && hasButtons && !this.unheard.has(key))
      this.mistake(`${key} is answered and asks still`)
  }

  /** None of our messages is shown that nobody sent. */
  #checkOrphans(platform: SimulatedPlatform): void {
    for (const standing of platform.chats.values())
      for (const { of, id } of standing) if (!this.#out.has(of)) this.mistake(`${id} (${of}) was sent by nobody`)
  }
}

const placeOf = ({ chat, id }: Pick<Inbound, 'chat' | 'id'>): string => `${chatKey(chat)} ${id}`

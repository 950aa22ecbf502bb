/**
 * A few hours of some accounts' chats, with everything that can go wrong, until nothing is left to do; then the
 * invariants are checked.
 */

import { createHash } from 'node:crypto'
import type { Ports } from '../../../../adapters/ports.ts'
import { deliver, growReply } from '../../../../app/channels/deliver.ts'
import { endReply, showAnswer } from '../../../../app/channels/end-reply.ts'
import { newLinkCode, replayDelivery } from '../../../../app/channels/manage.ts'
import { processChat } from '../../../../app/channels/process.ts'
import { receiveWebhook } from '../../../../app/channels/receive.ts'
import { sweepChannels } from '../../../../app/channels/sweep.ts'
import { answerQuestion } from '../../../../app/chat/answer-question.ts'
import { unaudited } from '../../../../app/outbox/outbox.ts'
import type { Basics } from '../../../../app/ports/basics.ts'
import { showInbound, showOutgoing } from '../../../../domain/channels/delivery.ts'
import { chatKey, type Happening, type Inbound, type Person } from '../../../../domain/channels/inbound.ts'
import { type Platform, platforms } from '../../../../domain/channels/platform.ts'
import { readButton } from '../../../../domain/channels/question-buttons.ts'
import { DomainError } from '../../../../domain/errors.ts'
import { ulid } from '../../../../domain/ids.ts'
import { iso, minuteMs, secondMs } from '../../../../domain/time.ts'
import { randomOf } from '../../../domain/wallet/model.ts'
import { Agent } from './agent.ts'
import { VirtualClock } from './clock.ts'
import { Functions } from './functions.ts'
import { type Account, accountOf, type Place, placesOf, somethingIn } from './people.ts'
import { allowOrphansOf, noTrouble, outageMs, SimulatedPlatform } from './platforms.ts'
import { Properties, type Said } from './properties.ts'
import { askedText, pick, type Random } from './texts.ts'
import { type Change, watchedPorts } from './watched-ports.ts'

/** The storage of an episode, with its accounts. */
export interface Store {
  ports: Partial<Ports>
  /** When the next item is due, ms since 1970; null when none is. */
  nextDueMs(): Promise<number | null>
  newUser(state: 'running' | 'paused', isPoor: boolean): Promise<{ userId: string; instanceId: string }>
}

export interface EpisodeOptions {
  seed: number
  /** Approximate number of requests to webhooks. */
  deliveries: number
  startMs: number
  open(clock: VirtualClock): Promise<Store>
}

interface EpisodeResult {
  mistakes: string[]
  counts: Record<string, number>
}

/** The intervals at which a platform repeats an unanswered delivery, ms. */
const webhookRetriesMs = [secondMs, 10 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs]

export async function runEpisode(options: EpisodeOptions): Promise<EpisodeResult> {
  const clock = new VirtualClock(options.startMs)
  const store = await options.open(clock)
  // Node hashes in another thread, so its answer would arrive at no time of this clock.
  const { digest } = crypto.subtle
  crypto.subtle.digest = async (_algorithm, data) => digestAtOnce(data)
  try {
    return await new Episode(options, clock, store).run()
  } finally {
    crypto.subtle.digest = digest
  }
}

function digestAtOnce(data: BufferSource): ArrayBuffer {
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
  return Uint8Array.from(createHash('sha256').update(bytes).digest()).buffer
}

class Episode {
  readonly #options: EpisodeOptions
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #functions: Functions
  readonly #platforms: Record<Platform, SimulatedPlatform>
  readonly #store: Store
  readonly #deps: Ports
  readonly #properties: Properties
  readonly #agent: Agent
  readonly #accounts: Account[] = []
  #places: Place[] = []
  readonly #ids = new Map<string, number>()
  readonly #tails = new Map<string, Promise<unknown>>()
  readonly #pressed = new Set<string>()
  readonly #linking = new Set<string>()
  readonly #inOrder: boolean
  #busy = true
  #posted = 0
  #marks = 0

  constructor(options: EpisodeOptions, clock: VirtualClock, store: Store) {
    this.#options = options
    this.#clock = clock
    this.#store = store
    this.#random = randomOf(options.seed)
    this.#inOrder = this.#random(2) === 0
    this.#functions = new Functions(clock, this.#random)
    this.#functions.ended = (run) => allowOrphansOf(run)
    this.#properties = new Properties(options.seed, clock)
    const surroundings = { clock, functions: this.#functions, random: this.#random, watch: this }
    const platform = (name: Platform) => new SimulatedPlatform(name, surroundings)
    this.#platforms = { telegram: platform('telegram'), slack: platform('slack'), discord: platform('discord') }
    let made = 0
    const basics: Basics = {
      clock: { now: () => clock.nowMs, sleep: async () => {} },
      ids: {
        next(prefix) {
          const number = ++made
          const rising = Uint8Array.from({ length: 16 }, (_, i) => (i < 9 ? 0 : (number >> (5 * (15 - i))) & 31))
          return `${prefix}_${ulid(clock.nowMs, rising)}`
        },
        random: (alphabet, length) =>
          Array.from({ length }, () => alphabet.charAt(this.#random(alphabet.length))).join(''),
      },
      settings: {
        stage: 'test',
        production: false,
        publicOrigin: 'https://berth.example',
        cell: 'T0',
        imageVersion: '1',
        logLevel: 'INFO',
      },
      alarms: { raise: () => {}, measure: () => {} },
    }
    // safe because the stores have all methods that channels and agents use
    const kept = watchedPorts(store.ports as Ports, this.#functions, {
      changed: (change) => this.#changed(change),
      received: (userId, message, run) => {
        if (this.#properties.received(userId, message, run)) this.#agent.prompted(userId)
      },
      replied: (_userId, promptId, message) => this.#properties.replied(promptId, message),
      kept: (delivery) => this.#properties.kept(delivery),
      settled: (delivery) => this.#properties.settled(delivery),
      linked: (link) => this.#properties.linked(link),
      unlinked: (link) => this.#properties.unlinked(link),
    })
    const { telegram, slack, discord } = this.#platforms
    this.#deps = { ...kept, ...basics, telegram: telegram.port, slack: slack.port, discord: discord.port }
    this.#agent = new Agent(this.#deps, clock, this.#functions, this.#random)
  }

  mistake(what: string): void {
    this.#properties.mistake(what)
  }

  shown(
    platform: SimulatedPlatform,
    to: Parameters<Properties['shown']>[1],
    message: Parameters<Properties['shown']>[2],
  ): void {
    this.#properties.shown(platform.name, to, message)
    const [first] = message.buttons
    if (!first || this.#pressed.has(message.id)) return
    this.#pressed.add(message.id)
    const place = this.#places.find(({ chat }) => chat.platform === platform.name && chat.id === to.chat.id)
    if (place)
      this.#answer(
        place,
        to.userId ?? '',
        message.id,
        message.buttons.map(({ data }) => data),
      )
  }

  async run(): Promise<EpisodeResult> {
    await this.#open()
    const { deliveries } = this.#options
    this.#clock.at(this.#clock.nowMs, () => this.#act())
    this.#clock.at(Math.ceil(this.#clock.nowMs / minuteMs) * minuteMs, () => this.#tick())
    while (this.#busy && (await this.#clock.step())) if (this.#posted >= deliveries) this.#busy = false
    this.#calm()
    await this.#quiet()
    await this.#replay()
    await this.#quiet()
    await this.#properties.check(this.#store.ports as Ports, this.#platforms)
    return { mistakes: this.#properties.mistakes, counts: this.#counts() }
  }

  #counts(): Record<string, number> {
    const sums: Record<string, number> = {
      deliveries: this.#posted,
      ...this.#functions.happened,
      ...this.#properties.counts,
    }
    for (const platform of platforms)
      for (const [name, count] of Object.entries(this.#platforms[platform].happened))
        sums[name] = (sums[name] ?? 0) + count
    return sums
  }

  async #open(): Promise<void> {
    const random = this.#random
    for (const [state, isPoor] of [
      ['running', false],
      ['paused', false],
      ['running', random(4) === 0],
    ] as const) {
      const { userId, instanceId } = await this.#store.newUser(state, isPoor)
      this.#accounts.push(accountOf(userId, instanceId))
    }
    this.#agent.accounts = this.#accounts
    this.#places = placesOf(this.#accounts)
    this.#functions.troublePercent = pick(random, [0, 3, 10, 25])
    for (const name of platforms) {
      const worse = pick(random, [0, 1, 4])
      this.#platforms[name].trouble = {
        limited: 20 * worse,
        unavailable: 15 * worse,
        lost: 10 * worse,
        slow: 4 * worse,
      }
      const fromMs = this.#clock.nowMs + random(3 * 60) * minuteMs
      if (random(4) === 0) this.#platforms[name].down = [fromMs, fromMs + outageMs]
    }
    for (const place of this.#places) {
      if (place.chat.kind === 'group') this.#openGroup(place)
      else if (place.owner && random(5) > 0) this.#link(place, place.owner, random(2) === 0)
    }
  }

  #openGroup(place: Place): void {
    const { chat, owner } = place
    const who = owner?.persons[chat.platform]
    if (!who) return
    this.#platforms[chat.platform].owners.set(chat.id, who.id)
    const link: Happening = { kind: 'command', name: 'link', argument: '' }
    this.#clock.after((2 + this.#random(20)) * minuteMs, () => this.#happens(place, who, () => link))
  }

  /** Runs a random next event, and plans the one after it. */
  #act(): void {
    if (!this.#busy) return
    const random = this.#random
    const place = pick(random, this.#places)
    const chance = random(1000)
    if (chance < 15) this.#relink(place)
    else if (chance < 18) this.#flood(place)
    else if (chance < 30) this.#agent.speak(pick(random, this.#accounts))
    else {
      const isOwner = place.owner !== null && random(4) > 0
      const who = isOwner && place.owner ? place.owner.persons[place.chat.platform] : pick(random, place.members)
      this.#happens(place, who, (mark) => somethingIn(random, place, mark))
    }
    this.#clock.after(random(random(10) === 0 ? 240 * secondMs : 25 * secondMs), () => this.#act())
  }

  #flood(place: Place): void {
    const who = pick(this.#random, place.members)
    for (let i = 0; i < 40; i++)
      this.#happens(place, who, (mark) => ({
        kind: 'message',
        text: askedText(this.#random, mark),
        files: [],
        addressed: true,
      }))
  }

  /** Unlinks a linked chat, in the chat or in the dashboard, or links an unlinked one. */
  #relink(place: Place): void {
    const { chat, owner } = place
    if (!owner) return
    const who = owner.persons[chat.platform]
    const link = this.#properties.linkOf(chat)
    const asks = (name: string) => this.#happens(place, who, () => ({ kind: 'command', name, argument: '' }))
    if (link && this.#random(2) === 0) asks('unlink')
    else if (link) void this.#functions.run('web', () => this.#deps.channelLinks.remove(link.userId, link.id))
    else if (chat.kind === 'group') asks('link')
    // Perhaps to another account: it needs a code of that account.
    else this.#link(place, this.#random(5) === 0 ? pick(this.#random, this.#accounts) : owner, false)
  }

  #link(place: Place, to: Account, asText: boolean): void {
    const name = chatKey(place.chat)
    if (this.#linking.has(name) || !place.owner) return
    this.#linking.add(name)
    const who = place.owner.persons[place.chat.platform]
    void this.#functions.run('web', async () => {
      const { code } = await newLinkCode(this.#deps, to.userId, this.#clock.nowMs)
      this.#happens(place, who, () =>
        asText
          ? { kind: 'message', text: code.toLowerCase(), files: [], addressed: true }
          : { kind: 'command', name: 'start', argument: code },
      )
      this.#clock.after(10 * minuteMs, () => this.#linking.delete(name))
    })
  }

  /** Something happens in a chat, and its platform reports it, perhaps late, twice or out of order. */
  #happens({ chat }: Place, who: Person, what: (mark: string) => Happening): void {
    const random = this.#random
    const number = (this.#ids.get(chatKey(chat)) ?? 0) + 1
    this.#ids.set(chatKey(chat), number)
    const mark = this.#marks++
    const inbound: Inbound = {
      id: String(number).padStart(10, '0'),
      chat,
      person: who,
      context: random(10) === 0 ? { thread: 'a' } : {},
      at: iso(this.#clock.nowMs - (random(2_000) === 0 ? 25 * 60 * minuteMs : 0)),
      what: what(`in:${mark}`),
    }
    const platform = this.#platforms[chat.platform]
    if (inbound.what.kind === 'removed') platform.gone.add(chat.id)
    else platform.gone.delete(chat.id)
    const said = this.#properties.said(mark, inbound)
    this.#clock.after(random(random(20) === 0 ? 30 * secondMs : secondMs), () => this.#post(said, 0))
    if (random(12) === 0) this.#clock.after(random(15 * minuteMs), () => this.#post(said, 0))
  }

  #post(said: Said, tries: number): void {
    this.#posted++
    const { platform } = said.inbound.chat
    const request = { headers: { 'x-secret': platform }, rawBody: JSON.stringify([said.inbound]) }
    const act = () => receiveWebhook(this.#deps, this.#deps[platform], request, this.#clock.nowMs)
    void this.#functions.run('webhook', act).then((ended) => {
      if (ended === 'done') said.answered = true
      const againMs = webhookRetriesMs[tries]
      if (ended !== 'done' && againMs !== undefined) this.#clock.after(againMs, () => this.#post(said, tries + 1))
    })
  }

  /** A change of a table: its stream reports it, late, twice or never. */
  #changed(change: Change): void {
    if (change.table === 'out') this.#properties.changedOut(change)
    if (change.table === 'end') this.#agent.ended(change.userId, change.promptId)
    const random = this.#random
    const chance = random(100)
    if (this.#busy && chance < 3) {
      if (change.table === 'question') this.#properties.unheard.add(change.id)
      return
    }
    const afterMs = this.#busy && chance < 9 ? random(10 * minuteMs) : random(400)
    this.#clock.after(afterMs, () => this.#stream(change, 0))
    if (chance > 95) this.#clock.after(afterMs + random(minuteMs), () => this.#stream(change, 0))
  }

  #stream(change: Change, tries: number): void {
    const partition = change.table === 'in' ? chatKey(change.chat) : `${change.table === 'out'} ${change.userId}`
    const handle = async () => {
      const ended = await this.#handle(change)
      if (ended !== 'done' && tries < 3)
        this.#clock.after(this.#random(5 * secondMs), () => this.#stream(change, tries + 1))
      else if (ended !== 'done' && change.table === 'question') this.#properties.unheard.add(change.id)
    }
    if (!this.#inOrder) return void handle()
    this.#tails.set(partition, (this.#tails.get(partition) ?? Promise.resolve()).then(handle))
  }

  async #handle(change: Change) {
    const { nowMs } = this.#clock
    const deps = this.#deps
    const functions = this.#functions
    if (change.table === 'in') return functions.run('process', () => processChat(deps, change.chat, change.id, nowMs))
    const { userId } = change
    if (change.table === 'end')
      return functions.run('end', () => endReply(deps, userId, change.promptId, change.outcome, nowMs))
    if (change.table === 'question') return functions.run('question', () => showAnswer(deps, userId, change.id, nowMs))
    const grown = await functions.run('grow', () => growReply(deps, userId, change.key, nowMs))
    if (grown !== 'done') return grown
    return functions.run('deliver', () => deliver(deps, userId, change.key, this.#clock.nowMs))
  }

  /** Every minute, as the service's clock does: the sweep, at times two of them concurrently. */
  #tick(): void {
    const { nowMs } = this.#clock
    this.#clock.pending++
    void this.#store.nextDueMs().then((dueMs) => {
      this.#clock.pending--
      const isDue = dueMs !== null && dueMs <= nowMs
      const sweep = () => void this.#functions.run('sweep', () => sweepChannels(this.#deps, nowMs))
      if (isDue) sweep()
      if (isDue && this.#random(4) === 0) sweep()
      this.#agent.look()
      if (this.#busy) this.#clock.at(nowMs + minuteMs, () => this.#tick())
    })
  }

  /** Stops all faults. */
  #calm(): void {
    this.#functions.troublePercent = 0
    for (const name of platforms) {
      this.#platforms[name].trouble = noTrouble
      this.#platforms[name].down = [0, 0]
    }
  }

  /** Runs until nothing is left to do. */
  async #quiet(): Promise<void> {
    for (let rounds = 0; rounds < 5_000; rounds++) {
      while (await this.#clock.step()) {}
      const dueMs = await this.#store.nextDueMs()
      if (dueMs === null && !this.#agent.hasWork) return
      const wantedMs = this.#agent.hasWork ? this.#clock.nowMs : (dueMs ?? 0)
      const tickMs = Math.max(
        Math.ceil(wantedMs / minuteMs) * minuteMs,
        Math.floor(this.#clock.nowMs / minuteMs + 1) * minuteMs,
      )
      this.#clock.at(tickMs, () => this.#tick())
    }
    this.mistake('something stays open for ever')
  }

  /** Retries some failed deliveries, and some others, which is refused. */
  async #replay(): Promise<void> {
    const none = new Map<string, string>()
    for (const { userId } of this.#accounts) {
      const { items } = await (this.#store.ports as Ports).deliveryLog.list(userId, { after: null, limit: 1_000 })
      for (const delivery of items) {
        const { id, state } = 'in' in delivery ? showInbound(delivery.in, none) : showOutgoing(delivery.out, none)
        if (this.#random(state === 'failed' ? 2 : 20) > 0) continue
        const refused: unknown[] = []
        await this.#functions.run(
          'web',
          () => replayDelivery(this.#deps, userId, id, this.#clock.nowMs),
          (error) => refused.push(error),
        )
        const isRefused = refused[0] instanceof DomainError && refused[0].code === 'conflict'
        if (isRefused === (state === 'failed'))
          this.mistake(`a delivery that is ${state} was replayed, or not: ${String(refused[0])}`)
        if (state === 'failed') this.#properties.replayed('in' in delivery ? delivery.in : null)
      }
    }
  }

  /** One or two people press a button, or its question is answered elsewhere. */
  #answer(place: Place, userId: string, messageId: string, data: readonly string[]): void {
    const random = this.#random
    const press = (who: Person) =>
      this.#clock.after(random(90 * secondMs), () =>
        this.#happens(place, who, () => ({ kind: 'button', data: pick(random, data), messageId })),
      )
    for (let presses = random(4); presses > 0; presses--) press(pick(random, place.members))
    if (random(3) > 0 && place.owner) press(place.owner.persons[place.chat.platform])
    const asked = readButton(data[0] ?? '')
    if (random(5) > 0 || !asked) return
    const answer = { id: asked.questionId, answer: { approved: random(2) === 0 } }
    this.#clock.after(
      random(minuteMs),
      () =>
        void this.#functions.run('web', () => answerQuestion(this.#deps, userId, answer, this.#clock.nowMs, unaudited)),
    )
  }
}

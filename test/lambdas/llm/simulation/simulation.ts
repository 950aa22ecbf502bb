import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ports } from '../../../../adapters/ports.ts'
import { followSubscription } from '../../../../app/billing/subscription.ts'
import { changeInstance } from '../../../../app/instance/change.ts'
import type { Models } from '../../../../app/ports/models.ts'
import { auditWallet } from '../../../../app/wallet/books.ts'
import { sweepWallets } from '../../../../app/wallet/sweep.ts'
import { spendingGeneration } from '../../../../domain/instance/instance.ts'
import type { InstanceEvent } from '../../../../domain/instance/transitions.ts'
import { callLimitMs } from '../../../../domain/models/call-limits.ts'
import type { PricedModel } from '../../../../domain/models/model.ts'
import { dayMs, iso, minuteMs, secondMs } from '../../../../domain/time.ts'
import { holdTtlMs } from '../../../../domain/wallet/holds.ts'
import { newCaps, unlimited } from '../../../../domain/wallet/limits.ts'
import { deleteAccount } from '../../../../lambdas/account/delete-account.ts'
import { accountArea } from '../../../../lambdas/account/index.ts'
import { instanceArea } from '../../../../lambdas/instance/index.ts'
import { pauseInstance } from '../../../../lambdas/instance/pause-instance.ts'
import { refreshInstance } from '../../../../lambdas/instance/refresh-instance.ts'
import { llmArea } from '../../../../lambdas/llm/index.ts'
import { intercept } from '../../../adapters/engine.ts'
import { isBalanced } from '../../../domain/wallet/balanced.ts'
import { randomOf } from '../../../domain/wallet/model.ts'
import { openWorld, type Tenant, type World } from '../../../world.ts'
import { Call, type Expected, expectedOf, type Fate, fates } from './call.ts'
import { type Answer, startProviders } from './provider.ts'
import { holdTimers } from './virtual-timers.ts'

/** Time that docs/identity.md allows open connections after their end, in ms, and the resolution of this clock. */
const graceMs = 15 * secondMs
const tickMs = secondMs
const sweepEveryMs = minuteMs

export interface SimulationOptions {
  seed: number
  /** Minimum number of calls with a hold. */
  calls: number
  users: number
  /** Number of refreshes, pauses and deletions per user and hour, all together. */
  changesAnHour: number
  /** Whether a closed account's new or overlong call is a mistake; otherwise it is only counted. */
  closedAccountsBuyNothing: boolean
  /** Receives the number of calls from time to time. */
  progress?(admitted: number): void
}

/** Sums of the calls with one result, in µUSD. */
export interface FateSum {
  calls: number
  billedMicros: number
  /** The bills of failed calls. */
  unpaidMicros: number
  costMicros: number
  unseenMicros: number
  /** Largest share by which a call was billed above or below its cost, without the tokens never sent. */
  mostAbove: number
  mostBelow: number
}

export interface SimulationResult {
  seed: number
  calls: number
  admitted: number
  users: number
  virtualMinutes: number
  happened: Record<
    'refreshes' | 'pauses' | 'deletions' | 'lateStarts' | 'leavings' | 'dead' | 'faults' | 'expired',
    number
  >
  fates: Record<Fate, FateSum>
  /** Purchases of closed accounts after their deadline. */
  closed: { calls: number; micros: number }
  /** µUSD that providers reported above the holds. */
  aboveHold: number
  /** Broken invariants, each with its call. */
  mistakes: string[]
}

/** A user, and the sums of their calls. */
interface User {
  tenant: Tenant
  /** Generation of the machine that may spend; 0 for none. */
  live: number
  /** Time when each generation ended, in ms. */
  gone: Map<number, number>
  closedMs: number | null
  bearers: Map<number, { headers: Record<string, string>; untilMs: number }>
  changing: boolean
  /** Set when nothing more happens to this user: the books are closed after the last call. */
  retired: boolean
  open: Set<Call>
  ended: Ended[]
  creditedMicros: number
  credits: number
}

interface FailedBill {
  micros: number
  reason: string
}
const noBill: FailedBill = { micros: 0, reason: '' }

interface Ended {
  n: number
  /** A description of the call. */
  why: string
  callId: string
  expected: Expected
  heldMicros: number
  durationMs: number
  boughtClosed: boolean
}

const asCall = new AsyncLocalStorage<Call>()

/** Runs the service's own proxy for many users at once, on its own clock, and compares the bills with the costs. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const run = await Run.open(options)
  try {
    return await run.toEnd()
  } finally {
    await run.close()
  }
}

class Run {
  readonly #options: SimulationOptions
  readonly #random: (below: number) => number
  readonly #world: World
  readonly #providers: Awaited<ReturnType<typeof startProviders>>
  readonly #timers: ReturnType<typeof holdTimers>
  readonly #handle: ReturnType<World['handler']>
  readonly #calls = new Map<number, Call>()
  readonly #users: User[] = []
  readonly #later = new Map<number, (() => unknown)[]>()
  readonly #prices = new Map<string, PricedModel>()
  readonly #stopFaults: () => void
  /** Descriptions of ended calls without a hold, as far as they were reported, by id. */
  readonly #unheld = new Map<string, string>()
  #storePending = 0
  #changed: () => void = () => {}
  #made = 0
  readonly #result: SimulationResult

  static async open(options: SimulationOptions): Promise<Run> {
    const calls = new Map<number, Call>()
    const providers = await startProviders((mark) => {
      const call = calls.get(mark)
      if (!call) throw new Error(`a provider was asked for call ${mark}, which is over`)
      return call
    })
    const world = await openWorld({
      areas: [llmArea, instanceArea, accountArea],
      ports: ['payments', 'checkouts', 'gracePeriods', 'mail', 'bus', 'users', 'events', 'instances', 'wallets'],
      replace: ({ models, wallets }) => ({ models: watchedModels(models), wallets: watchedWallets(wallets) }),
    })
    await world.cloud.cloud.putSecret('providers', JSON.stringify(providers.secret))
    return new Run(options, world, providers, calls)
  }

  private constructor(
    options: SimulationOptions,
    world: World,
    providers: Awaited<ReturnType<typeof startProviders>>,
    calls: Map<number, Call>,
  ) {
    this.#options = options
    this.#random = randomOf(options.seed)
    this.#world = world
    this.#providers = providers
    this.#calls = calls
    this.#handle = world.handler(llmArea.operations, {
      ids: {
        random: () => '000000',
        next: (prefix) => {
          const id = world.nextId(prefix)
          const call = asCall.getStore()
          if (call && prefix === 'call') call.callId = id
          return id
        },
      },
    })
    this.#stopFaults = intercept((send, command) => this.#store(send, command))
    this.#timers = holdTimers(() => world.clock.nowMs)
    this.#result = {
      seed: options.seed,
      calls: 0,
      admitted: 0,
      users: 0,
      virtualMinutes: 0,
      happened: {
        refreshes: 0,
        pauses: 0,
        deletions: 0,
        lateStarts: 0,
        leavings: 0,
        dead: 0,
        faults: 0,
        expired: 0,
      },
      // safe because the names are those of `fates`
      fates: Object.fromEntries(Object.keys(fates).map((fate) => [fate, noSum()])) as Record<Fate, FateSum>,
      closed: { calls: 0, micros: 0 },
      aboveHold: 0,
      mistakes: [],
    }
  }

  async close(): Promise<void> {
    this.#stopFaults()
    this.#timers.restore()
    await this.#world.close()
    await this.#providers.close()
  }

  async toEnd(): Promise<SimulationResult> {
    const { calls, users } = this.#options
    const beganMs = this.#now
    for (const model of await this.#world.ports.models.list()) this.#prices.set(model.id, model)
    while (this.#result.admitted < calls) {
      while (this.#users.filter(({ retired }) => !retired).length < users) this.#users.push(await this.#newUser())
      await this.#tick(true)
      if ((this.#now - beganMs) % minuteMs === 0) this.#options.progress?.(this.#result.admitted)
      if (this.#result.mistakes.length > 50) break
    }
    // Open calls end by themselves; then the unsettled holds expire.
    for (let tick = 0; this.#calls.size > 0 && tick < 1_500; tick++) await this.#tick(false)
    this.#world.clock.nowMs += holdTtlMs + sweepEveryMs
    await sweepWallets(this.#world.ports, this.#now)
    for (const user of this.#users) await this.#closeBooks(user)
    this.#checkEnd()
    this.#result.virtualMinutes = Math.round((this.#now - beganMs) / minuteMs)
    return this.#result
  }

  get #now(): number {
    return this.#world.clock.nowMs
  }

  /** One second for all users: its events happen at once. */
  async #tick(busy: boolean): Promise<void> {
    this.#world.clock.nowMs += tickMs
    this.#timers.runDue()
    const due = this.#later.get(this.#now) ?? []
    this.#later.delete(this.#now)
    const doing = due.map((act) => act())
    if (busy) {
      for (const user of this.#users) if (!user.retired) doing.push(...this.#live(user))
      if (this.#now % sweepEveryMs === 0) doing.push(sweepWallets(this.#world.ports, this.#now))
    }
    await this.#inTime(Promise.all(doing))
    await this.#quiet()
    if (busy) await this.#spotCheck()
    for (const user of this.#users.filter(({ retired, open }) => retired && open.size === 0)) {
      await this.#closeBooks(user)
      this.#users.splice(this.#users.indexOf(user), 1)
    }
  }

  #at(ms: number, act: () => unknown): void {
    const at = Math.ceil(Math.max(ms, this.#now + 1) / tickMs) * tickMs
    const acts = this.#later.get(at)
    if (acts) acts.push(act)
    else this.#later.set(at, [act])
  }

  /** Waits until no work is left at this moment of the clock. */
  async #quiet(): Promise<void> {
    for (let calm = 0; calm < 3; ) {
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#isQuiet) calm++
      else {
        calm = 0
        await this.#change()
      }
    }
  }

  get #isQuiet(): boolean {
    if (this.#storePending > 0) return false
    for (const call of this.#calls.values()) {
      if (call.state === 'starting' || call.state === 'ending') return false
      if (call.answer && !call.answer.over && call.answer.read < call.answer.written) return false
    }
    return true
  }

  /** Resolves at the next change. */
  #change(): Promise<void> {
    return this.#inTime(
      new Promise<void>((resolve) => {
        this.#changed = resolve
      }),
    )
  }

  /** Fails a promise that takes a minute of real time, because it is stuck. */
  async #inTime(doing: Promise<unknown>): Promise<void> {
    const { real } = this.#timers
    let stuck: NodeJS.Timeout | undefined
    const late = new Promise<void>((_, reject) => {
      stuck = real.setTimeout(() => {
        const some = [...this.#calls.values()].filter(({ state }) => state !== 'waiting').slice(0, 5)
        const said = some.map(({ n, state, fault }) => `${n} ${state} ${fault}`).join(', ')
        reject(new Error(`seed ${this.#options.seed}: nothing happens: ${this.#storePending} in the store; ${said}`))
      }, 60_000)
    })
    await Promise.race([doing, late]).finally(() => real.clearTimeout(stuck))
  }

  async #store<T>(send: () => Promise<T>, command: string): Promise<T> {
    this.#storePending++
    try {
      return await this.#faulty(send, command, asCall.getStore() ?? null)
    } finally {
      this.#storePending--
      this.#changed()
    }
  }

  async #faulty<T>(send: () => Promise<T>, command: string, call: Call | null): Promise<T> {
    const writes = command === 'UpdateItemCommand' ? 'hold' : command === 'TransactWriteItemsCommand' ? 'settle' : null
    const fault = call?.fault
    if (!call || !fault || !writes || !fault.startsWith(writes)) return send()
    if (call.faulted && fault !== 'settle-refused') return send()
    if (!call.faulted) this.#result.happened.faults++
    call.faulted = true
    if (fault.endsWith('unheard')) await send()
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  }

  // Actions of users

  async #newUser(): Promise<User> {
    const { ports } = this.#world
    const tenant = await this.#world.tenant()
    const { userId } = tenant
    const user: User = {
      tenant,
      live: tenant.instance.generation,
      gone: new Map(),
      closedMs: null,
      bearers: new Map(),
      changing: false,
      retired: false,
      open: new Set(),
      ended: [],
      creditedMicros: 0,
      credits: 0,
    }
    await this.#credit(user)
    if (this.#random(4) > 0) await ports.wallets.setCaps(userId, { ...newCaps, day: unlimited }, this.#now)
    return user
  }

  async #credit(user: User): Promise<void> {
    const micros = 20_000 + this.#random(this.#random(3) === 0 ? 20_000_000 : 400_000)
    const key = `credit-${user.credits++}`
    user.creditedMicros += micros
    await this.#world.ports.wallets.creditOnce(user.tenant.userId, key, micros, 'adjustment', 'Credit', iso(this.#now))
  }

  /** The actions of a user and their machine in this second. */
  #live(user: User): Promise<unknown>[] {
    const doing: Promise<unknown>[] = []
    if (this.#random(5) === 0 && (user.live > 0 || user.closedMs !== null)) this.#call(user, user.live || 1)
    else if (user.gone.size > 0 && this.#random(150) === 0) this.#call(user, this.#goneGeneration(user))
    if (user.closedMs !== null || user.changing) return doing
    const chance = this.#random(Math.round((28 * 60 * 60) / this.#options.changesAnHour))
    if (chance < 16) doing.push(this.#restart(user, refreshInstance, 'refreshes'))
    else if (chance < 24) doing.push(this.#restart(user, pauseInstance, 'pauses'))
    else if (chance < 28) doing.push(this.#delete(user))
    else if (chance < 120) doing.push(this.#credit(user))
    return doing
  }

  #goneGeneration(user: User): number {
    const all = [...user.gone.keys()]
    return all[this.#random(all.length)] ?? 1
  }

  /** Runs the operation itself; the machine stops, and the next one starts some time later. */
  async #restart(
    user: User,
    operation: typeof refreshInstance | typeof pauseInstance,
    what: 'refreshes' | 'pauses',
  ): Promise<void> {
    if (user.live === 0) return
    user.changing = true
    const { headers } = await this.#world.session(user.tenant.userId)
    const { status } = await this.#world.request({ operation, headers })
    if (status >= 300) throw new Error(`${operation.id} answered ${status}`)
    this.#result.happened[what]++
    this.#stopAndStart(user, what === 'pauses')
  }

  #stopAndStart(user: User, wake: boolean): void {
    const stoppedMs = this.#now + this.#random(20_000)
    this.#at(stoppedMs, () => this.#see(user, 'machine-stopped'))
    if (wake) this.#at(stoppedMs + 1_000 + this.#random(90_000), () => this.#see(user, 'resume'))
    this.#at(stoppedMs + (wake ? 95_000 : 5_000), async () => {
      await this.#see(user, 'machine-running')
      user.changing = false
    })
  }

  /** Applies an event to the instance; the new spender is known when the event is written. */
  async #see(user: User, event: InstanceEvent): Promise<void> {
    if (user.retired) return
    const { ports } = this.#world
    await changeInstance(ports, user.tenant.userId, event, event === 'resume' ? 'user' : 'host', this.#now)
    await this.#lookAt(user)
  }

  async #lookAt(user: User): Promise<void> {
    const record = await this.#world.ports.instances.find(user.tenant.userId)
    const live = record ? spendingGeneration(record) : 0
    if (user.live > 0 && live !== user.live) user.gone.set(user.live, this.#now)
    user.live = live
  }

  async #delete(user: User): Promise<void> {
    const { userId } = user.tenant
    const { headers } = await this.#world.session(userId)
    const { status } = await this.#world.request({ operation: deleteAccount, headers })
    if (status !== 202) throw new Error(`deleteAccount answered ${status}`)
    user.closedMs = this.#now
    this.#result.happened.deletions++
    await this.#lookAt(user)
    const stoppedMs = this.#now + this.#random(40_000)
    this.#at(stoppedMs, () => this.#see(user, 'machine-stopped'))
    if (this.#random(3) === 0) this.#at(stoppedMs + this.#random(60_000), () => this.#lateSubscription(user))
    this.#at(this.#now + 4 * minuteMs, () => {
      user.retired = true
    })
  }

  /** The late event of a subscription that was paid before the account was closed. */
  async #lateSubscription(user: User): Promise<void> {
    const { userId } = user.tenant
    const about = {
      userId,
      subscriptionId: `sub_${userId}`,
      customerId: 'cus_1',
      checkoutId: null,
      boughtSeconds: Math.floor(this.#now / secondMs),
      givenUp: false,
      subscription: {
        status: 'active' as const,
        plan: 'starter' as const,
        currentPeriodEnd: iso(this.#now + 30 * dayMs),
        cancelAtPeriodEnd: false,
      },
    }
    const { ports } = this.#world
    const payments = { ...ports.payments, subscription: async () => about, undoSubscription: async () => {} }
    const createdSeconds = about.boughtSeconds
    await followSubscription(
      { ...ports, payments },
      { kind: 'subscription-changed', eventId: `evt_${userId}`, createdSeconds, deleted: false, ...about },
      this.#now,
    )
    this.#result.happened.lateStarts++
    await this.#lookAt(user)
  }

  // Calls

  async #bearer(user: User, generation: number): Promise<Record<string, string>> {
    const known = user.bearers.get(generation)
    if (known && known.untilMs > this.#now) return known.headers
    const headers = await this.#world.machine(user.tenant, 'llm', generation)
    user.bearers.set(generation, { headers, untilMs: this.#now + 30 * minuteMs })
    return headers
  }

  #call(user: User, generation: number): void {
    const n = ++this.#made
    const call = new Call(this.#options.seed, n, { userId: user.tenant.userId, generation, nowMs: this.#now })
    this.#calls.set(n, call)
    user.open.add(call)
    this.#result.calls++
    call.onAnswer = (answer) => this.#schedule(call, answer)
    call.changed = () => this.#changed()
    asCall.run(call, () => this.#ask(user, call)).catch((error) => this.#mistake(call, `threw ${error}`))
  }

  async #ask(user: User, call: Call): Promise<void> {
    const headers = await this.#bearer(user, call.generation)
    const response = await this.#handle({ method: 'POST', path: call.path, headers, body: call.request })
    call.status = response.status
    if (typeof response.body !== 'string') {
      // safe because the proxy writes into a stream of Node's
      call.body = response.body as typeof call.body
      call.body?.on('error', () => {}).resume()
      if (call.leavesAfterMs !== null)
        this.#at(call.startedMs + call.leavesAfterMs, () => asCall.run(call, () => this.#leave(call)))
    }
    await response.done
    this.#finish(user, call)
  }

  #leave(call: Call): void {
    if (call.state === 'done' || call.body?.readableEnded) return
    call.left = true
    this.#result.happened.leavings++
    call.body?.destroy()
  }

  /** Schedules all events of the provider. */
  #schedule(call: Call, answer: Answer): void {
    const { plan } = call
    if (!plan) return
    let at = this.#now + plan.headMs
    const begin = () => {
      // A sent head is in transit until the proxy has it.
      if (!answer.over) call.state = 'starting'
      answer.begin()
    }
    const onTime = (ms: number, act: () => void) => (ms <= this.#now ? act() : this.#at(ms, act))
    if (call.stream || plan.ending !== 'whole') onTime(at, begin)
    for (const { tokens, ms } of plan.hidden) {
      at += ms
      this.#at(at, () => answer.think(tokens))
    }
    for (const piece of plan.pieces.slice(0, plan.endsAfter)) {
      at += piece.ms
      this.#at(at, () => answer.say(piece))
    }
    this.#at(at + 1, () => {
      if (!answer.head) begin()
      if (!answer.over) call.state = 'ending'
      answer.end(plan.ending)
    })
    // Another try follows a try that failed before any output.
    if ((call.state === 'starting' || call.state === 'ending') && !answer.head) call.state = 'waiting'
    this.#changed()
  }

  #finish(user: User, call: Call): void {
    call.state = 'done'
    call.endedMs = this.#now
    this.#calls.delete(call.n)
    user.open.delete(call)
    this.#changed()
    if (call.heldMicros !== null) this.#result.admitted++
    this.#checkLiveness(user, call)
    call.mayBeCut = call.left || user.gone.has(call.generation) || user.closedMs !== null
    const expected = expectedOf(call, (id) => this.#priceOf(id))
    if (expected.fate === 'expired') this.#result.happened.expired++
    this.#checkStatus(call, expected)
    const boughtClosed = this.#isBoughtClosed(user, call)
    if (call.callId === null || call.heldMicros === null) {
      if (call.callId !== null) this.#unheld.set(call.callId, `call ${call.n}, ${call.fault}, answered ${call.status}`)
      return void this.#result.fates[expected.fate].calls++
    }
    user.ended.push({
      n: call.n,
      callId: call.callId,
      expected,
      heldMicros: call.heldMicros,
      durationMs: call.endedMs - call.startedMs,
      boughtClosed,
      why: call.toString(),
    })
  }

  #priceOf(id: string): PricedModel {
    const found = this.#prices.get(id)
    if (!found) throw new Error(`there is no price for ${id}`)
    return found
  }

  // Invariants

  #mistake(call: Pick<Call, 'n'> | null, what: string): void {
    this.#result.mistakes.push(`seed ${this.#options.seed}${call ? `, call ${call.n}` : ''}: ${what}`)
  }

  #checkStatus(call: Call, { fate }: Expected): void {
    if (call.status === 200 || call.answer?.head) return
    if (fate !== 'refused' && fate !== 'unanswered' && fate !== 'expired')
      this.#mistake(call, `answered ${call.status} but counts as ${fate}`)
    if (call.status < 400 || (call.status === 500 && !call.faulted)) this.#mistake(call, `answered ${call.status}`)
  }

  #checkLiveness(user: User, call: Call): void {
    const goneMs = user.gone.get(call.generation)
    const dead = goneMs !== undefined && goneMs < call.startedMs
    if (dead) {
      this.#result.happened.dead++
      if (call.heldMicros !== null || call.answer) this.#mistake(call, 'a dead generation bought something')
    }
    if (goneMs !== undefined && call.heldMicros !== null && call.endedMs > goneMs + graceMs)
      this.#mistake(call, `lived ${call.endedMs - goneMs} ms longer than its generation`)
  }

  #isBoughtClosed({ closedMs }: User, call: Call): boolean {
    if (closedMs === null || call.heldMicros === null) return false
    const bought = call.startedMs > closedMs || call.endedMs > closedMs + graceMs
    if (!bought) return false
    this.#result.closed.calls++
    const after = call.startedMs - closedMs
    if (this.#options.closedAccountsBuyNothing)
      this.#mistake(
        call,
        `a closed account bought something: begun ${after} ms after its end, ended ${call.endedMs - closedMs} ms after`,
      )
    return true
  }

  /** A user's wallet: balanced, never negative, and with holds only for calls that are open or may still expire. */
  async #spotCheck(): Promise<void> {
    const user = this.#users[this.#random(this.#users.length)]
    if (user) {
      // A call may end while the wallet is read.
      const before = [...user.open]
      const state = await this.#world.ports.wallets.read(user.tenant.userId)
      if (state.available < 0 || !isBalanced(state)) this.#mistake(null, `the wallet is off: ${JSON.stringify(state)}`)
      const open = new Set([...before, ...user.open].map(({ callId }) => callId))
      const lost = new Set(user.ended.filter(({ expected }) => expected.fate === 'expired').map(({ callId }) => callId))
      for (const [callId, { expiresMs }] of Object.entries(state.holds)) {
        if (this.#isLate(expiresMs) || !(open.has(callId) || lost.has(callId)))
          this.#mistake(
            null,
            `the hold of ${callId} outlived its call: ${this.#unheld.get(callId) ?? 'never finished'}`,
          )
      }
    }
  }

  /** Every entry of a user's ledger against the calls they made. */
  async #closeBooks(user: User): Promise<void> {
    this.#result.users++
    const { ports } = this.#world
    const { userId } = user.tenant
    const lost = user.ended.filter(({ expected }) => expected.fate === 'expired')
    const billed = new Map<string, number>()
    let chargedMicros = 0
    for await (const { receipt, amountMicros } of ports.wallets.lines(userId, 0, 2 ** 47)) {
      if (!receipt) continue
      if (billed.has(receipt.callId)) this.#mistake(null, `${receipt.callId} was charged twice`)
      billed.set(receipt.callId, -amountMicros)
      chargedMicros -= amountMicros
    }
    const unpaid = this.#unpaidBills()
    for (const ended of user.ended) {
      this.#compare(ended, billed.get(ended.callId) ?? 0, unpaid.get(ended.callId) ?? noBill)
      billed.delete(ended.callId)
    }
    for (const callId of billed.keys())
      this.#mistake(null, `${callId} was charged and never made: ${this.#unheld.get(callId) ?? ''}`)
    const { state, differences } = await auditWallet(ports, userId)
    for (const difference of differences) this.#mistake(null, `the books of ${userId} are off: ${difference}`)
    if (state.total !== user.creditedMicros - chargedMicros) this.#mistake(null, `the total of ${userId} is off`)
    const holds = Object.entries(state.holds).filter(
      ([callId, { expiresMs }]) => this.#isLate(expiresMs) || !lost.some((ended) => ended.callId === callId),
    )
    if (holds.length > 0) this.#mistake(null, `holds are left: ${holds.map(([callId]) => callId).join(', ')}`)
  }

  /** Whether a sweep should have removed a hold. */
  #isLate(expiresMs: number): boolean {
    return this.#now > expiresMs + sweepEveryMs + tickMs
  }

  /** The bills of failed calls by call in µUSD, as the alarm receives them. */
  #unpaidBills(): Map<string, FailedBill> {
    const failed = this.#world.raised.filter(({ name }) => name === 'FailedCallMicros')
    return new Map(
      failed.map(({ callId, value, reason }) => [String(callId), { micros: value, reason: String(reason) }]),
    )
  }

  #compare(
    { n, why, expected, heldMicros, durationMs, boughtClosed }: Ended,
    billedMicros: number,
    bill: FailedBill,
  ): void {
    const { fate, costMicros, unseenMicros } = expected
    const { micros: unpaidMicros, reason } = bill
    const isOurEnd = reason === 'time-up'
    // Nobody stops a model here.
    if (reason === 'stopped' || (isOurEnd && durationMs < callLimitMs))
      this.#mistake({ n }, `${why}; ended as ${reason} after ${durationMs} ms`)
    // A call that our side ended before any output costs its user nothing, and its prompt is in the failed calls' bill.
    const leastReadMicros = Math.min(expected.leastReadMicros, heldMicros)
    const isUnbilled = isOurEnd && expected.mostReadMicros > 0 && unpaidMicros >= leastReadMicros
    const least = isUnbilled ? 0 : Math.min(expected.least, heldMicros)
    const most = Math.min(expected.most, heldMicros)
    if (billedMicros < least || billedMicros > most)
      this.#mistake(
        { n },
        `${why}; ${fate}: billed ${billedMicros}, must be ${least === most ? least : `${least} to ${most}`} (held ${heldMicros})`,
      )
    const failedMicros = billedMicros === 0 ? expected.unpaidMicros : 0
    const leastUnpaid = fate === 'expired' ? 0 : failedMicros
    const mostUnpaid = billedMicros === 0 && isOurEnd ? Math.max(expected.mostReadMicros, failedMicros) : failedMicros
    if (unpaidMicros < leastUnpaid || unpaidMicros > mostUnpaid)
      this.#mistake(
        { n },
        `${why}; ${fate}: ${unpaidMicros} in the bill of failed calls (${reason}), must be ${leastUnpaid} to ${mostUnpaid}`,
      )
    if (fate === 'reported') this.#result.aboveHold += Math.max(0, costMicros - heldMicros)
    if (boughtClosed) this.#result.closed.micros += billedMicros
    const sum = this.#result.fates[fate]
    const seenMicros = costMicros - unseenMicros
    sum.calls++
    sum.billedMicros += billedMicros
    sum.unpaidMicros += unpaidMicros
    sum.costMicros += costMicros
    sum.unseenMicros += unseenMicros
    if (seenMicros === 0) return
    sum.mostAbove = Math.max(sum.mostAbove, billedMicros / seenMicros - 1)
    sum.mostBelow = Math.max(sum.mostBelow, 1 - billedMicros / seenMicros)
  }

  #checkEnd(): void {
    if (this.#calls.size > 0) this.#mistake(null, `${this.#calls.size} calls never ended`)
    if (this.#providers.open.size > 0) this.#mistake(null, `${this.#providers.open.size} answers were never let go`)
    const above = this.#world.raised.filter(({ name }) => name === 'CostAboveHoldMicros')
    if (above.length > 0)
      this.#mistake(null, `${above.length} calls cost more than was held for them ${JSON.stringify(above)}`)
  }
}

const noSum = (): FateSum => ({
  calls: 0,
  billedMicros: 0,
  unpaidMicros: 0,
  costMicros: 0,
  unseenMicros: 0,
  mostAbove: 0,
  mostBelow: 0,
})

/** The models port, which reports the progress of each response to its call. */
const watchedModels = (models: Models): Models => ({
  ...models,
  async call(model, request, signal) {
    const call = asCall.getStore()
    signal.addEventListener('abort', () => {
      if (call && call.state !== 'done') call.state = 'ending'
      call?.changed()
    })
    const response = await models.call(model, request, signal)
    if (!call || response.status !== 200) return response
    const { answer } = call
    call.headSeen = true
    if (call.state === 'starting') call.state = 'waiting'
    call.changed()
    return {
      ...response,
      read: async (onChunk) => {
        await response.read((chunk) => {
          if (answer) answer.read += chunk.length
          call.changed()
          return onChunk(chunk)
        })
        if (answer) answer.readWhole = true
      },
    }
  },
})

const watchedWallets = (wallets: Ports['wallets']): Ports['wallets'] => ({
  ...wallets,
  async hold(...asked) {
    const result = await wallets.hold(...asked)
    const call = asCall.getStore()
    if (call && result.held) call.heldMicros = result.micros
    return result
  },
})

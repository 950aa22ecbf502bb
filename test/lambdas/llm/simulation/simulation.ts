import { sweepWallets } from '../../../../app/wallet/sweep.ts'
import type { PricedModel } from '../../../../domain/models/model.ts'
import { minuteMs } from '../../../../domain/time.ts'
import { holdTtlMs } from '../../../../domain/wallet/holds.ts'
import { accountArea } from '../../../../lambdas/account/index.ts'
import { instanceArea } from '../../../../lambdas/instance/index.ts'
import { llmArea } from '../../../../lambdas/llm/index.ts'
import { intercept } from '../../../adapters/engine.ts'
import { randomOf } from '../../../domain/wallet/model.ts'
import { openWorld, type World } from '../../../world.ts'
import { Books, sweepEveryMs } from './books.ts'
import { Call } from './call.ts'
import { Clock } from './clock.ts'
import { type Answer, startProviders } from './provider.ts'
import { emptyResult, type SimulationResult } from './result.ts'
import type { User } from './user.ts'
import { Users } from './users.ts'
import { asCall, watchedModels, watchedWallets } from './watched-ports.ts'

interface SimulationOptions {
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
  readonly #clock: Clock
  readonly #users: Users
  readonly #books: Books
  readonly #handle: ReturnType<World['handler']>
  readonly #calls: Map<number, Call>
  readonly #all: User[] = []
  readonly #prices = new Map<string, PricedModel>()
  readonly #stopFaults: () => void
  readonly #result: SimulationResult
  #storePending = 0
  #made = 0

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
    const { seed, closedAccountsBuyNothing, changesAnHour } = options
    this.#options = options
    this.#random = randomOf(seed)
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
    const clock = new Clock(
      world.clock,
      () => this.#isQuiet,
      () => this.#state,
    )
    const result = emptyResult(seed)
    this.#clock = clock
    this.#result = result
    this.#books = new Books({ world, clock, result, closedAccountsBuyNothing, prices: this.#prices })
    const call = (user: User, generation: number) => this.#call(user, generation)
    this.#users = new Users({ world, clock, result, random: this.#random, changesAnHour, call })
  }

  async close(): Promise<void> {
    this.#stopFaults()
    this.#clock.stop()
    await this.#world.close()
    await this.#providers.close()
  }

  async toEnd(): Promise<SimulationResult> {
    const { calls, users } = this.#options
    const beganMs = this.#clock.nowMs
    for (const model of await this.#world.ports.models.list()) this.#prices.set(model.id, model)
    while (this.#result.admitted < calls) {
      while (this.#all.filter(({ retired }) => !retired).length < users) this.#all.push(await this.#users.create())
      await this.#tick(true)
      if ((this.#clock.nowMs - beganMs) % minuteMs === 0) this.#options.progress?.(this.#result.admitted)
      if (this.#result.mistakes.length > 50) break
    }
    // Open calls end by themselves; then the unsettled holds expire.
    for (let tick = 0; this.#calls.size > 0 && tick < 1_500; tick++) await this.#tick(false)
    this.#clock.jump(holdTtlMs + sweepEveryMs)
    await sweepWallets(this.#world.ports, this.#clock.nowMs)
    for (const user of this.#all) await this.#books.close(user)
    this.#checkEnd()
    this.#result.virtualMinutes = Math.round((this.#clock.nowMs - beganMs) / minuteMs)
    return this.#result
  }

  /** One second for all users. */
  async #tick(busy: boolean): Promise<void> {
    const doing = this.#clock.tick()
    if (busy) {
      for (const user of this.#all) if (!user.retired) doing.push(...this.#users.live(user))
      if (this.#clock.nowMs % sweepEveryMs === 0) doing.push(sweepWallets(this.#world.ports, this.#clock.nowMs))
    }
    await this.#clock.inTime(Promise.all(doing))
    await this.#clock.quiet()
    const checked = busy ? this.#all[this.#random(this.#all.length)] : undefined
    if (checked) await this.#books.spotCheck(checked)
    for (const user of this.#all.filter(({ retired, open }) => retired && open.size === 0)) {
      await this.#books.close(user)
      this.#all.splice(this.#all.indexOf(user), 1)
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

  get #state(): string {
    const some = [...this.#calls.values()].filter(({ state }) => state !== 'waiting').slice(0, 5)
    const calls = some.map(({ n, state, fault }) => `${n} ${state} ${fault}`).join(', ')
    return `seed ${this.#options.seed}: ${this.#storePending} in the store; ${calls}`
  }

  async #store<T>(send: () => Promise<T>, command: string): Promise<T> {
    this.#storePending++
    try {
      return await this.#faulty(send, command, asCall.getStore() ?? null)
    } finally {
      this.#storePending--
      this.#clock.changed()
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

  #call(user: User, generation: number): void {
    const n = ++this.#made
    const call = new Call(this.#options.seed, n, { userId: user.tenant.userId, generation, nowMs: this.#clock.nowMs })
    this.#calls.set(n, call)
    user.open.add(call)
    this.#result.calls++
    call.onAnswer = (answer) => this.#schedule(call, answer)
    call.changed = () => this.#clock.changed()
    asCall.run(call, () => this.#ask(user, call)).catch((error) => this.#books.mistake(call, `threw ${error}`))
  }

  async #ask(user: User, call: Call): Promise<void> {
    const headers = await this.#users.bearer(user, call.generation)
    const response = await this.#handle({ method: 'POST', path: call.path, headers, body: call.request })
    call.status = response.status
    if (typeof response.body !== 'string') {
      // safe because the proxy writes into a stream of Node's
      call.body = response.body as typeof call.body
      call.body?.on('error', () => {}).resume()
      if (call.leavesAfterMs !== null)
        this.#clock.at(call.startedMs + call.leavesAfterMs, () => asCall.run(call, () => this.#leave(call)))
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
    let at = this.#clock.nowMs + plan.headMs
    const begin = () => {
      // A sent head is in transit until the proxy has it.
      if (!answer.over) call.state = 'starting'
      answer.begin()
    }
    const onTime = (ms: number, act: () => void) => (ms <= this.#clock.nowMs ? act() : this.#clock.at(ms, act))
    if (call.stream || plan.ending !== 'whole') onTime(at, begin)
    for (const { tokens, ms } of plan.hidden) {
      at += ms
      this.#clock.at(at, () => answer.think(tokens))
    }
    for (const piece of plan.pieces.slice(0, plan.endsAfter)) {
      at += piece.ms
      this.#clock.at(at, () => answer.say(piece))
    }
    this.#clock.at(at + 1, () => {
      if (!answer.head) begin()
      if (!answer.over) call.state = 'ending'
      answer.end(plan.ending)
    })
    // Another try follows a try that failed before any output.
    if ((call.state === 'starting' || call.state === 'ending') && !answer.head) call.state = 'waiting'
    this.#clock.changed()
  }

  #finish(user: User, call: Call): void {
    call.state = 'done'
    call.endedMs = this.#clock.nowMs
    this.#calls.delete(call.n)
    user.open.delete(call)
    this.#clock.changed()
    this.#books.ended(user, call)
  }

  #checkEnd(): void {
    if (this.#calls.size > 0) this.#books.mistake(null, `${this.#calls.size} calls never ended`)
    if (this.#providers.open.size > 0)
      this.#books.mistake(null, `${this.#providers.open.size} answers were never let go`)
    const above = this.#world.raised.filter(({ name }) => name === 'CostAboveHoldMicros')
    if (above.length > 0)
      this.#books.mistake(null, `${above.length} calls cost more than was held for them ${JSON.stringify(above)}`)
  }
}

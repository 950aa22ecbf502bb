import { followSubscription } from '../../../../app/billing/subscription.ts'
import { changeInstance } from '../../../../app/instance/change.ts'
import { spendingGeneration } from '../../../../domain/instance/instance.ts'
import type { InstanceEvent } from '../../../../domain/instance/transitions.ts'
import { dayMs, iso, minuteMs, secondMs } from '../../../../domain/time.ts'
import { newCaps, unlimited } from '../../../../domain/wallet/limits.ts'
import { deleteAccount } from '../../../../lambdas/account/delete-account.ts'
import { pauseInstance } from '../../../../lambdas/instance/pause-instance.ts'
import { refreshInstance } from '../../../../lambdas/instance/refresh-instance.ts'
import type { World } from '../../../world.ts'
import type { Clock } from './clock.ts'
import type { SimulationResult } from './result.ts'
import type { User } from './user.ts'

interface Surroundings {
  world: World
  clock: Clock
  result: SimulationResult
  random(below: number): number
  changesAnHour: number
  /** Begins a call of this generation's machine. */
  call(user: User, generation: number): void
}

/** The actions of users. */
export class Users {
  readonly #world: World
  readonly #clock: Clock
  readonly #result: SimulationResult
  readonly #random: Surroundings['random']
  readonly #changesAnHour: number
  readonly #call: Surroundings['call']

  constructor({ world, clock, result, random, changesAnHour, call }: Surroundings) {
    this.#world = world
    this.#clock = clock
    this.#result = result
    this.#random = random
    this.#changesAnHour = changesAnHour
    this.#call = call
  }

  async create(): Promise<User> {
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
    if (this.#random(4) > 0) await ports.wallets.setCaps(userId, { ...newCaps, day: unlimited }, this.#clock.nowMs)
    return user
  }

  async #credit(user: User): Promise<void> {
    const micros = 20_000 + this.#random(this.#random(3) === 0 ? 20_000_000 : 400_000)
    const key = `credit-${user.credits++}`
    user.creditedMicros += micros
    await this.#world.ports.wallets.creditOnce(
      user.tenant.userId,
      key,
      micros,
      'adjustment',
      'Credit',
      iso(this.#clock.nowMs),
    )
  }

  /** Starts the actions of a user and their machine in this second. */
  live(user: User): Promise<unknown>[] {
    const doing: Promise<unknown>[] = []
    if (this.#random(5) === 0 && (user.live > 0 || user.closedMs !== null)) this.#call(user, user.live || 1)
    else if (user.gone.size > 0 && this.#random(150) === 0) this.#call(user, this.#goneGeneration(user))
    if (user.closedMs !== null || user.changing) return doing
    const chance = this.#random(Math.round((28 * 60 * 60) / this.#changesAnHour))
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
    const stoppedMs = this.#clock.nowMs + this.#random(20_000)
    this.#clock.at(stoppedMs, () => this.#see(user, 'machine-stopped'))
    if (wake) this.#clock.at(stoppedMs + 1_000 + this.#random(90_000), () => this.#see(user, 'resume'))
    this.#clock.at(stoppedMs + (wake ? 95_000 : 5_000), async () => {
      await this.#see(user, 'machine-running')
      user.changing = false
    })
  }

  /** Applies an event to the instance; the new spender is known when the event is written. */
  async #see(user: User, event: InstanceEvent): Promise<void> {
    if (user.retired) return
    const { ports } = this.#world
    await changeInstance(ports, user.tenant.userId, event, event === 'resume' ? 'user' : 'host', this.#clock.nowMs)
    await this.#lookAt(user)
  }

  async #lookAt(user: User): Promise<void> {
    const record = await this.#world.ports.instances.find(user.tenant.userId)
    const live = record ? spendingGeneration(record) : 0
    if (user.live > 0 && live !== user.live) user.gone.set(user.live, this.#clock.nowMs)
    user.live = live
  }

  async #delete(user: User): Promise<void> {
    const { userId } = user.tenant
    const { headers } = await this.#world.session(userId)
    const { status } = await this.#world.request({ operation: deleteAccount, headers })
    if (status !== 202) throw new Error(`deleteAccount answered ${status}`)
    user.closedMs = this.#clock.nowMs
    this.#result.happened.deletions++
    await this.#lookAt(user)
    const stoppedMs = this.#clock.nowMs + this.#random(40_000)
    this.#clock.at(stoppedMs, () => this.#see(user, 'machine-stopped'))
    if (this.#random(3) === 0) this.#clock.at(stoppedMs + this.#random(60_000), () => this.#lateSubscription(user))
    this.#clock.at(this.#clock.nowMs + 4 * minuteMs, () => {
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
      boughtSeconds: Math.floor(this.#clock.nowMs / secondMs),
      givenUp: false,
      subscription: {
        status: 'active' as const,
        plan: 'starter' as const,
        currentPeriodEnd: iso(this.#clock.nowMs + 30 * dayMs),
        cancelAtPeriodEnd: false,
      },
    }
    const { ports } = this.#world
    const payments = { ...ports.payments, subscription: async () => about, undoSubscription: async () => {} }
    const createdSeconds = about.boughtSeconds
    await followSubscription(
      { ...ports, payments },
      { kind: 'subscription-changed', eventId: `evt_${userId}`, createdSeconds, deleted: false, ...about },
      this.#clock.nowMs,
    )
    this.#result.happened.lateStarts++
    await this.#lookAt(user)
  }

  async bearer(user: User, generation: number): Promise<Record<string, string>> {
    const known = user.bearers.get(generation)
    if (known && known.untilMs > this.#clock.nowMs) return known.headers
    const headers = await this.#world.machine(user.tenant, 'llm', generation)
    user.bearers.set(generation, { headers, untilMs: this.#clock.nowMs + 30 * minuteMs })
    return headers
  }
}

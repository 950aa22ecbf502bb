import type { Trigger } from '../../domain/chat/message.ts'
import type { Dialect, ModelCall } from '../../domain/models/dialect.ts'
import { Meter } from '../../domain/models/meter.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import { Seldom } from '../../domain/models/seldom.ts'
import { type Ending, type Quote, receiptOf, type Settlement, settlementOf } from '../../domain/models/settlement.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { iso, minuteMs, secondMs } from '../../domain/time.ts'
import type { UsageLine } from '../../domain/wallet/ports.ts'
import { recheckMs } from '../kit/sse.ts'

export type CallPorts = Pick<Ports, 'models' | 'wallets' | 'instances' | 'events' | 'machineTokens'> & Basics

export interface CallFacts {
  userId: string
  /** Of the machine that calls. */
  generation: number
  callId: string
  dialect: Dialect
  call: ModelCall
  model: PricedModel
  quote: Quote
  held: { micros: number; total: number }
  /** Output limit per choice that the hold pays for. */
  outputTokens: number
  trigger: Trigger
  /** When the request arrived, ms since 1970. */
  now: number
}

/** A call that has run for so long is cut at the next look, whoever is still listening, ms. */
export const callLimitMs = 12 * minuteMs

/** Waits before the second and third try of a settlement, ms. */
const settleWaitsMs = [200, 1_000]

/** What only informs is written for the first call of a burst and then this often, ms: idleness counts in minutes. */
const tellEveryMs = 15 * secondMs
const told = new Seldom(tellEveryMs)

/** A line that CloudWatch reads as a metric: the bound of some model or format is wrong, and somebody must look. */
function reportAboveHold({ aboveHoldMicros }: Settlement, model: string, callId: string, nowMs: number): void {
  const metric = { Name: 'CostAboveHoldMicros', Unit: 'Count' }
  const CloudWatchMetrics = [{ Namespace: 'Berth', Dimensions: [[]], Metrics: [metric] }]
  const facts = { CostAboveHoldMicros: aboveHoldMicros, model, callId }
  console.warn(JSON.stringify({ _aws: { Timestamp: nowMs, CloudWatchMetrics }, ...facts }))
}

/**
 * A call whose money is held. Whatever happens, `finish` is called; the first time settles it. When the machine that
 * calls may no longer spend, the call is aborted, and what it used until then is settled.
 */
export class OpenCall {
  readonly deps: CallPorts
  readonly facts: CallFacts
  readonly meter: Meter
  readonly #abort = new AbortController()
  readonly #looks: NodeJS.Timeout
  #firstByteMs: number | null = null
  #finished: Promise<void> | null = null
  /** The model that answers: another than the one asked for when that one's provider failed. */
  model: PricedModel

  constructor(deps: CallPorts, facts: CallFacts, recheckEveryMs: number = recheckMs) {
    this.deps = deps
    this.facts = facts
    this.model = facts.model
    this.meter = new Meter(facts.dialect)
    const endMs = facts.now + callLimitMs
    this.#looks = setInterval(() => {
      if (deps.clock.now() >= endMs) this.abort()
      else this.#recheck().catch(() => {}) // A failed look is made again.
    }, recheckEveryMs)
  }

  /** Aborted when the call is over its time, its machine may no longer spend, or by `abort`. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  abort(): void {
    this.#abort.abort()
  }

  /** The request has gone out for good: of a large one only what billing needs is kept while the answer comes. */
  forgetRequest(): void {
    this.facts.call = { ...this.facts.call, fields: {} }
  }

  noteByte(): void {
    this.#firstByteMs ??= this.deps.clock.now()
  }

  finish(ending: Ending): Promise<void> {
    clearInterval(this.#looks)
    this.#finished ??= this.#settle(ending)
    return this.#finished
  }

  async #recheck(): Promise<void> {
    const { userId, generation } = this.facts
    const wallet = await this.deps.wallets.read(userId)
    if (wallet.generation !== generation) this.abort()
  }

  async #settle(ending: Ending): Promise<void> {
    const { call, held, callId, trigger, now } = this.facts
    const { model } = this
    const settlement = settlementOf(call, model, held.micros, this.meter.metered(), ending)
    const endedMs = this.deps.clock.now()
    if (settlement.aboveHoldMicros > 0 && settlement.because === 'usage')
      reportAboveHold(settlement, model.id, callId, endedMs)
    const times = { startedMs: now, firstByteMs: this.#firstByteMs, endedMs }
    const receipt = receiptOf(model, settlement, { callId, heldMicros: held.micros, trigger, ...times })
    await this.#write(settlement, { description: model.id, receipt, at: iso(endedMs) }, endedMs)
  }

  /** The receipt first, and surely; what only informs may fail without harm. */
  async #write(settlement: Settlement, line: UsageLine, endedMs: number): Promise<void> {
    const { userId, callId, held } = this.facts
    const { wallets, events, instances } = this.deps
    const telling = told.due(userId, endedMs)
    const touched = telling && instances.touch(userId, line.at).catch(() => {})
    const written = await this.#retried(() => wallets.settle(userId, callId, settlement.costMicros, line, held.total))
    if (written && telling) {
      const { amountMicros, balanceMicros } = written
      await events.record(userId, 'wallet.charged', { callId, amountMicros, balanceMicros }).catch(() => {})
    }
    await touched
  }

  async #retried<T>(attempt: () => Promise<T>): Promise<T> {
    for (const waitMs of settleWaitsMs) {
      try {
        return await attempt()
      } catch {
        await this.deps.clock.sleep(waitMs)
      }
    }
    return attempt()
  }
}

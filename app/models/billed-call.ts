import type { Trigger } from '../../domain/chat/message.ts'
import { recheckMs } from '../../domain/lifetimes.ts'
import type { ApiFormat, ModelCall } from '../../domain/models/api-format.ts'
import { callLimitMs } from '../../domain/models/call-limits.ts'
import { namesIn } from '../../domain/models/denied.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import type { Quote } from '../../domain/models/hold.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import { asksToThink } from '../../domain/models/request.ts'
import { type AnswerEnd, countInput, unpaidMicrosOf } from '../../domain/models/settlement.ts'
import { reshaperOf, translationOf } from '../../domain/models/translate/translate.ts'
import type { Turn } from '../../domain/models/trigger.ts'
import { UsageMeter } from '../../domain/models/usage-meter.ts'
import { isModelStopped, isUserStopped, stopsRecheckFreshMs } from '../../domain/operator/stops.ts'
import type { Spender } from '../../domain/wallet/holds.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'
import type { Denials, ModelRequest, Models } from '../ports/models.ts'
import type { Wallets } from '../ports/wallet.ts'

export type CallPorts = {
  models: Models
  denials: Denials
  wallets: Wallets
  instances: Instances
  events: Events
} & Basics

export interface CallRequest {
  userId: string
  spender: Spender
  /** Whether the caller may still spend; checked while the call is open. */
  isAlive(wallet: WalletState): boolean | Promise<boolean>
  format: ApiFormat
  call: ModelCall
  /** The caller's headers and query that are passed to the provider. */
  beside: Pick<ModelRequest, 'headers' | 'query'>
  model: PricedModel
  trigger: Trigger
  /** The turn for which a machine has proved that it makes the call. */
  turn?: Pick<Turn, 'promptId' | 'conversation' | 'child'>
  /** When the request arrived, ms since 1970. */
  now: number
}

interface CallFacts extends CallRequest {
  callId: string
  quote: Quote
  /** µUSD held for this call, and the wallet's total at that time. */
  held: { micros: number; total: number }
  /** Output limit per choice that the hold pays for. */
  outputTokens: number
}

/**
 * A call with a hold, until `settleCall` settles it. If the caller may no longer spend, or time is up, it is aborted
 * and settled for its usage so far.
 */
export class BilledCall {
  readonly deps: CallPorts
  readonly facts: CallFacts
  /** Names of the request's parts, for operators who ask why a call cost more than was held. */
  readonly carried: string
  readonly #thinks: boolean
  /** The answering model: a fallback if the requested model's provider failed. */
  model: PricedModel
  meter: UsageMeter
  firstByteMs: number | null = null
  settled: Promise<void> | null = null
  /** Null after an answer without a failure. */
  failure: FailureReason | null = null
  /** The provider has accepted the request with 200. */
  #taken = false
  #isPassedOn = false
  #cut = false
  #ended = false
  #meterOf: () => UsageMeter
  readonly #abort = new AbortController()
  readonly #rechecks: NodeJS.Timeout

  constructor(deps: CallPorts, facts: CallFacts, recheckEveryMs = recheckMs) {
    this.deps = deps
    this.facts = facts
    this.model = facts.model
    this.carried = namesIn(facts.call.fields)
    this.#thinks = asksToThink(facts.call.fields)
    this.#meterOf = () => new UsageMeter(facts.format, facts.call.hidesUsage)
    this.meter = this.#meterOf()
    const endMs = facts.now + callLimitMs
    this.#rechecks = setInterval(() => {
      if (deps.clock.now() >= endMs) this.#giveUp('time-up')
      else this.#recheck().catch(() => {}) // The next interval repeats a failed check.
    }, recheckEveryMs)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  abort(): void {
    this.#abort.abort()
  }

  /** How the answer ended. Cutting off a begun answer costs something, because its provider had read the input. */
  get end(): AnswerEnd {
    if (this.#ended && this.meter.isFinished) return 'whole'
    if (this.#taken && this.#cut) return 'cut-off'
    const isDelivered = this.#isPassedOn && this.meter.usage.countedOutput > 0
    return this.failure && !isDelivered ? 'failed' : 'broken'
  }

  /** Whether the cost ends when the caller leaves. Only the provider can count thoughts and search results. */
  get stopsUnread(): boolean {
    return this.model.stopsUnread === true && !this.#thinks && this.facts.call.searches === 0
  }

  /** Ends the provider's answer because of its caller; otherwise it would have continued. */
  cutOff(): void {
    this.#cut = true
    this.abort()
  }

  /** Ends the provider's answer for a reason that its caller did not cause. */
  #giveUp(reason: FailureReason): void {
    this.failure = reason
    this.abort()
  }

  headCame(): void {
    this.#taken = true
  }

  /** Records a failed try. An aborted call has no other failure. */
  noteFailure(reason: FailureReason): void {
    if (this.signal.aborted) return
    this.#taken = false
    this.failure = reason
    const { deps, facts, model } = this
    const about = { level: 'WARN', model: model.id, callId: facts.callId }
    deps.alarms.measure('ProviderFailed', 1, { provider: model.provider, reason }, about)
  }

  /** µUSD that the provider bills for a failed try, as far as known. */
  unpaidMicrosOf(reason: FailureReason): number {
    const { facts, model, meter } = this
    return unpaidMicrosOf(facts.call, model, facts.held.micros, meter.usage, reason)
  }

  /** The request's fields are freed now; only billing data is kept. */
  answerBegan(): void {
    this.#taken = true
    this.failure = null
    this.facts.call = { ...this.facts.call, fields: {} }
    this.#meterOf = begun
  }

  passOn(): void {
    this.#isPassedOn = true
  }

  /** Sets the model of the next try, and the call in that model's format. */
  askedOf(model: PricedModel, format: ApiFormat, sent: ModelCall): void {
    const { call, now } = this.facts
    this.model = model
    const input = countInput(call, model)
    const reshape = reshaperOf(call, now, input)
    this.#meterOf = () => {
      const translation = translationOf(call, sent, now, input)
      return new UsageMeter(format, sent.hidesUsage, translation, translation ? undefined : reshape)
    }
    this.newMeter()
  }

  newMeter(): UsageMeter {
    this.meter = this.#meterOf()
    return this.meter
  }

  answerEnded(): void {
    this.#ended = true
  }

  noteByte(): void {
    this.firstByteMs ??= this.deps.clock.now()
  }

  stopRechecks(): void {
    clearInterval(this.#rechecks)
  }

  async #recheck(): Promise<void> {
    const { deps, facts, model } = this
    const [wallet, { stops }] = await Promise.all([
      deps.wallets.read(facts.userId),
      deps.denials.current(stopsRecheckFreshMs),
    ])
    const isOver = isUserStopped(stops, facts.userId) || wallet.frozen !== null || !(await facts.isAlive(wallet))
    if (isOver) this.cutOff()
    else if (isModelStopped(stops, model)) this.#giveUp('stopped')
  }
}

const begun = (): never => {
  throw new Error('the answer has begun, and its request was let go')
}

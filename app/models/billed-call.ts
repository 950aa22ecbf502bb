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
import type { Basics, Ports } from '../ports.ts'
import type { ModelRequest } from './ports.ts'

export type CallPorts = Pick<Ports, 'models' | 'denials' | 'wallets' | 'instances' | 'events'> & Basics

/** A request for a model call, by a machine or a person's program. */
export interface CallRequest {
  userId: string
  spender: Spender
  /** Whether its caller may still spend, asked while it is open. */
  isAlive(wallet: WalletState): boolean | Promise<boolean>
  format: ApiFormat
  call: ModelCall
  /** The caller's headers and query that the provider gets, too. */
  beside: Pick<ModelRequest, 'headers' | 'query'>
  model: PricedModel
  trigger: Trigger
  /** The turn that a machine proved it makes the call for. */
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
 * A call whose money is held, until `settleCall` settles it. When its caller may no longer spend, or the
 * call is over its time, it is aborted, and what it used until then is settled.
 */
export class BilledCall {
  readonly deps: CallPorts
  readonly facts: CallFacts
  /** Names of what the call carried, for operators who ask why it cost more than was held. */
  readonly carried: string
  readonly #thinks: boolean
  /** The model that answers: a fallback when the provider of the one asked for failed. */
  model: PricedModel
  /** Reads what it answers. */
  meter: UsageMeter
  firstByteMs: number | null = null
  settled: Promise<void> | null = null
  /** The reason for the latest failure of a provider; null after an answer that has none. */
  failure: FailureReason | null = null
  /** The provider has taken the request: it answers with 200. */
  #taken = false
  /** Its answer goes to the client as it comes. */
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
      else this.#recheck().catch(() => {}) // A failed check is made again.
    }, recheckEveryMs)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Ends the provider's answer wherever it is. */
  abort(): void {
    this.#abort.abort()
  }

  /**
   * How the answer ended. The provider of an answer that began had read the input, so cutting that off costs something.
   */
  get end(): AnswerEnd {
    if (this.#ended && this.meter.isFinished) return 'whole'
    if (this.#taken && this.#cut) return 'cut-off'
    const isDelivered = this.#isPassedOn && this.meter.usage.countedOutput > 0
    return this.failure && !isDelivered ? 'failed' : 'broken'
  }

  /**
   * Whether its caller's leaving ends what it costs: of thoughts and of what searches found only the provider can tell.
   */
  get stopsUnread(): boolean {
    return this.model.stopsUnread === true && !this.#thinks && this.facts.call.searches === 0
  }

  /** Ends the provider's answer because of its caller: of its own it would have gone on. */
  cutOff(): void {
    this.#cut = true
    this.abort()
  }

  /** Ends the provider's answer because of the service, which is no doing of its caller. */
  #giveUp(reason: FailureReason): void {
    this.failure = reason
    this.abort()
  }

  /** The provider has taken the request. */
  headCame(): void {
    this.#taken = true
  }

  /** A try has failed, for a reason that operators can read. A call that was ended here fails for no other. */
  noteFailure(reason: FailureReason): void {
    if (this.signal.aborted) return
    this.#taken = false
    this.failure = reason
    const { deps, facts, model } = this
    const about = { level: 'WARN', model: model.id, callId: facts.callId }
    deps.alarms.measure('ProviderFailed', 1, { provider: model.provider, reason }, about)
  }

  /** µUSD that the provider bills for what it did before it failed for this reason, as far as that is known. */
  unpaidMicrosOf(reason: FailureReason): number {
    const { facts, model, meter } = this
    return unpaidMicrosOf(facts.call, model, facts.held.micros, meter.usage, reason)
  }

  /** An answer that can be passed on has begun: of a large request only what billing needs is kept while it comes. */
  answerBegan(): void {
    this.#taken = true
    this.failure = null
    this.facts.call = { ...this.facts.call, fields: {} }
    this.#meterOf = begun
  }

  /** From now on the provider's output goes to the client. */
  passOn(): void {
    this.#isPassedOn = true
  }

  /** This model is asked now, with the call as it takes it, in its format. */
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

  /** Starts a new meter, which counts from zero. */
  newMeter(): UsageMeter {
    this.meter = this.#meterOf()
    return this.meter
  }

  /** The provider's connection came to its end without an error. */
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

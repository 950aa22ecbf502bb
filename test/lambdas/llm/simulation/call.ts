import type { Readable } from 'node:stream'
import { catalogue, modelId as idOf } from '../../../../domain/models/catalogue.ts'
import { noUsage, type Usage } from '../../../../domain/models/cost.ts'
import type { ChatFormatName, PricedModel } from '../../../../domain/models/model.ts'
import { randomOf } from '../../../domain/wallet/model.ts'
import type { Answer, Asked, Ending, Plan, Refusal } from './provider.ts'
import { textOf } from './texts.ts'
import type { PieceKind } from './wire.ts'

/**
 * Allowed difference between counted tokens and a provider's own count: half to twice for text with two to eight bytes
 * per token, plus a constant for the JSON around a prompt. docs/proxy.md says the same.
 */
const counterError = { factor: 2, tokens: 100 }

/** The results of a call, by which side knows its usage. */
export const fates = {
  refused: 'not admitted: no hold, no call',
  unanswered: 'no answer: refused by every provider, or no connection',
  reported: 'the provider reported its usage',
  cut: 'cut by our side before the report: its client left, its machine was gone, or its time was up',
  broken: 'broken off by the provider after its first token, or ended without a report',
  voided: 'broken off by the provider before its first token, or a document that did not come whole',
  failed: 'an error with a report before any output',
  expired: 'our store failed at every try of the settlement',
} as const
export type Fate = keyof typeof fates

/** Maximum prompt of each model in tokens: its provider refuses a longer one. */
const contexts = new Map(catalogue.map((model) => [idOf(model), model.contextTokens]))

/** Tokens of a prompt that has long-context prices, and that some models do not accept. */
const longPrompt = 280_000

const formatsAndModels: [ChatFormatName, string][] = [
  ['openai-chat', 'openai/gpt-5-mini'],
  ['openai-chat', 'openai/gpt-5.4'],
  ['openai-chat', 'anthropic/claude-haiku-4-5'],
  ['openai-chat', 'openrouter/anthropic/claude-sonnet-4.5'],
  ['openai-responses', 'openai/gpt-5-mini'],
  ['openai-responses', 'openai/gpt-5'],
  ['anthropic-messages', 'anthropic/claude-sonnet-4-6'],
  ['anthropic-messages', 'anthropic/claude-sonnet-4-5'],
  ['anthropic-messages', 'anthropic/claude-haiku-4-5'],
  // A model with another format than the caller's.
  ['anthropic-messages', 'openai/gpt-5'],
  ['anthropic-messages', 'openrouter/openai/gpt-5-mini'],
  ['openai-responses', 'anthropic/claude-haiku-4-5'],
]
const paths: Record<ChatFormatName, string> = {
  'openai-chat': '/llm/proxy/v1/chat/completions',
  'openai-responses': '/llm/proxy/v1/responses',
  'anthropic-messages': '/llm/proxy/v1/messages',
}
const limitNames: Record<ChatFormatName, string> = {
  'openai-chat': 'max_completion_tokens',
  'openai-responses': 'max_output_tokens',
  'anthropic-messages': 'max_tokens',
}

/** The store's fault for a call: its hold is refused, a response is lost, or it cannot be settled at all. */
type StoreFault = 'hold-refused' | 'hold-unheard' | 'settle-unheard' | 'settle-refused' | null

/** One call of a machine, drawn entirely from its number and the run's seed. */
export class Call implements Asked {
  readonly n: number
  readonly random: (below: number) => number
  readonly userId: string
  readonly generation: number
  readonly startedMs: number
  readonly format: ChatFormatName
  readonly modelId: string
  readonly stream: boolean
  /** Tokens of the prompt as its provider counts them. */
  readonly promptTokens: number
  /** Time when the client leaves, in ms after the call began; null when it stays. */
  readonly leavesAfterMs: number | null
  readonly fault: StoreFault
  faulted = false
  callId: string | null = null
  /** The held amount in µUSD; null before the hold. */
  heldMicros: number | null = null
  state: 'starting' | 'waiting' | 'ending' | 'done' = 'starting'
  status = 0
  endedMs = 0
  body: Readable | null = null
  left = false
  tries = 0
  answer: Answer | null = null
  /** Whether the proxy has the head of the response. */
  headSeen = false
  /**
   * Whether our side had a reason to cut the call at its end, and so may have cut it at the same moment as its
   * provider.
   */
  mayBeCut = false
  plan: Plan | null = null
  onAnswer: (answer: Answer, plan: Plan) => void = () => {}
  /** Runs after a change of this call's state. */
  changed: () => void = () => {}

  constructor(seed: number, n: number, about: { userId: string; generation: number; nowMs: number }) {
    this.n = n
    this.random = randomOf(Math.imul(seed, 0x9e3779b1) ^ n)
    const { random } = this
    this.userId = about.userId
    this.generation = about.generation
    this.startedMs = about.nowMs
    const [format, modelId] = pick(random, formatsAndModels)
    this.format = format
    this.modelId = modelId
    this.stream = random(100) < 80
    this.promptTokens = random(1_500) === 0 ? longPrompt : random(8) === 0 ? random(6_000) : 5 + random(400)
    this.leavesAfterMs = this.stream && random(100) < 25 ? random(8_000) : null
    this.fault = pickFault(random(1_000))
  }

  /** A description of the call, for error messages. */
  toString(): string {
    const { answer, plan } = this
    const ending = plan && answer ? `${plan.ending} after ${plan.endsAfter} pieces` : 'no answer'
    const seen = answer && `${answer.seen.tokens} tokens seen, ${answer.seen.report ?? 'nothing'} reported`
    const client = this.left ? 'its client left' : 'its client stayed'
    return `${this.format} ${this.modelId}, ${this.stream ? 'a stream' : 'a document'}, ${ending}, ${seen}, ${client}`
  }

  get path(): string {
    return paths[this.format]
  }

  /** The request's body. */
  get request(): object {
    const { n, format, random } = this
    const text = `#call-${n} ${textOf(n, n * 7, this.promptTokens)}`
    const limit = random(4) === 0 ? {} : { [limitNames[format]]: 16 + random(3_000) }
    const common = { model: this.modelId, ...limit, ...(this.stream && { stream: true }) }
    const message = { role: 'user', content: text }
    if (format === 'openai-responses') return { ...common, input: text }
    if (format === 'openai-chat') {
      const options = this.stream && random(2) === 0 ? { stream_options: { include_usage: true } } : {}
      return { ...common, ...options, ...(random(12) === 0 && { n: 2 }), messages: [message] }
    }
    const cached = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
    return { max_tokens: 1_000, ...common, messages: [random(3) === 0 ? { role: 'user', content: cached } : message] }
  }

  planFor(outputLimit: number): Plan {
    this.plan ??= this.#makePlan(outputLimit)
    return this.plan
  }

  isTooLongFor(modelId: string): boolean {
    return this.promptTokens > (contexts.get(modelId) ?? Number.POSITIVE_INFINITY)
  }

  answers(answer: Answer, plan: Plan): void {
    this.answer = answer
    this.headSeen = false
    this.onAnswer(answer, plan)
  }

  #makePlan(outputLimit: number): Plan {
    const { random } = this
    const slow = random(100) < 25 ? 6_000 : 700
    const wanted = random(30) === 0 ? 0 : random(5) === 0 ? random(3_000) : random(200)
    let left = Math.min(wanted, outputLimit)
    const hidden: Plan['hidden'] = []
    const thinks = this.modelId.startsWith('openai/gpt-5') && random(3) === 0
    for (let part = 0; thinks && part < 3 && left > 0; part++) {
      const tokens = Math.min(left, 1 + random(700))
      left -= tokens
      hidden.push({ tokens, ms: random(slow * 2) })
    }
    const count = Math.min(left, 1 + random(8))
    const pieces = Array.from({ length: count }, (_, i) => {
      const tokens = i === count - 1 ? left : Math.max(1, Math.min(left - (count - 1 - i), 1 + random(60)))
      left -= tokens
      const kind: PieceKind = random(8) === 0 ? 'thought' : random(8) === 0 ? 'tool' : 'text'
      // A client that leaves a silent provider must be the one whose call is dropped.
      const ms = i === 0 && this.leavesAfterMs !== null && random(6) === 0 ? 75_000 : silence(random, slow)
      return { tokens, ms, kind, text: random(200_000), choice: 0 }
    })
    const read = this.promptTokens + 12
    const cachedInput = random(3) === 0 ? random(read) : 0
    const cacheWrite = this.format === 'anthropic-messages' && random(4) === 0 ? random(read - cachedInput) : 0
    const ending = endingOf(random(1_000))
    return {
      refusals: refusalsOf(random),
      input: { input: read - cachedInput - cacheWrite, cachedInput, cacheWrite },
      headMs: random(3) === 0 ? random(slow) : 0,
      hidden,
      pieces,
      ending,
      endsAfter: ending === 'whole' || ending === 'unreported' ? count : random(count + 1),
    }
  }
}

function pick<T>(random: (below: number) => number, list: readonly T[]): T {
  return list[random(list.length)] as T // safe because the index is below the length
}

/** Mostly a moment, sometimes longer than the wait for an absent client, and rarely longer than a call may last. */
const silence = (random: (below: number) => number, slow: number): number => {
  const chance = random(2_000)
  return chance === 0 ? 800_000 : chance < 20 ? 60_000 + random(30_000) : random(slow)
}

function pickFault(chance: number): StoreFault {
  if (chance < 2) return 'hold-refused'
  if (chance < 5) return 'hold-unheard'
  if (chance < 9) return 'settle-unheard'
  return chance < 11 ? 'settle-refused' : null
}

function endingOf(chance: number): Ending {
  if (chance < 20) return 'unreported'
  if (chance < 40) return 'error'
  if (chance < 55) return 'billed-error'
  return chance < 75 ? 'reset' : 'whole'
}

/** Most calls get a response at once; some after one or two refusals, some from another provider or none. */
function refusalsOf(random: (below: number) => number): Refusal[] {
  const chance = random(100)
  if (chance < 90) return []
  const kind = pick<Refusal>(random, [500, 503, 529, 429, 'drop'])
  if (chance < 94) return [kind]
  if (chance < 97) return Array<Refusal>(4 + random(5)).fill(kind)
  return [pick(random, [400, 401, 403, 404])]
}

/** The expected charge of a call in µUSD, and its provider's bill by the same prices. */
export interface Expected {
  fate: Fate
  /** Minimum and maximum; equal when the charge is known exactly. */
  least: number
  most: number
  /** The failed calls' bill, without a charge: the report of a response that failed before any output. */
  unpaidMicros: number
  /** Its minimum and maximum for a call that our side ended before any output: it counts as read by its provider. */
  leastReadMicros: number
  mostReadMicros: number
  /** The provider's bill. */
  costMicros: number
  /** The bill's part for tokens that were never sent. */
  unseenMicros: number
}

/** @param priceOf the model by its id, with our prices */
export function expectedOf(call: Call, priceOf: (id: string) => PricedModel): Expected {
  const expected = expectedSettled(call, priceOf)
  const isUnsettled = call.faulted && call.fault === 'settle-refused' && expected.fate !== 'refused'
  // The bill of a failed call is reported before the write.
  return isUnsettled ? { ...expected, fate: 'expired', least: 0, most: 0 } : expected
}

/** For a call whose settlement is written. */
function expectedSettled(call: Call, priceOf: (id: string) => PricedModel): Expected {
  const { answer } = call
  if (!answer?.head && call.heldMicros === null) return { ...nothing, fate: 'refused' }
  const read = call.promptTokens + 12
  const { factor, tokens: around } = counterError
  const mostInput = { ...noUsage, input: read * factor + around }
  if (!answer?.head) {
    const models = answer ? [call.modelId, answer.model] : [call.modelId]
    const mostReadMicros = Math.max(...models.map((id) => costAt(priceOf(id), mostInput)))
    return { ...nothing, fate: 'unanswered', mostReadMicros }
  }
  const model = priceOf(answer.model)
  const cost = (usage: Usage) => costAt(model, usage)
  const { tokens, report } = answer.seen
  const costMicros = cost(answer.bill)
  const unseenMicros = costMicros - cost({ ...answer.bill, output: Math.min(tokens, answer.bill.output) })
  if (report === 'all') return { ...nothing, fate: 'reported', least: costMicros, most: costMicros, costMicros }
  if (report === 'failed')
    // A response that our side cut at that very moment is charged instead.
    return {
      ...nothing,
      fate: 'failed',
      most: call.mayBeCut ? costMicros : 0,
      unpaidMicros: costMicros,
      mostReadMicros: costMicros,
      costMicros,
    }
  const known = report === 'input' ? answer.bill : null
  const most = known ?? mostInput
  const mostReadMicros = cost({ ...most, output: 0, reasoning: 0 })
  // The head was on its way when our side dropped the call, so the proxy got no response.
  if (!call.headSeen) return { ...nothing, fate: 'unanswered', mostReadMicros, costMicros, unseenMicros: costMicros }
  const brokeUnpaid = answer.brokeOff && (tokens === 0 || !call.stream)
  if (brokeUnpaid && !call.mayBeCut) return { ...nothing, fate: 'voided', costMicros, unseenMicros }
  const least = known ?? { ...noUsage, input: Math.max(0, Math.ceil(read / factor) - around) }
  return {
    fate: brokeUnpaid ? 'voided' : answer.brokeOff ? 'broken' : 'cut',
    least: brokeUnpaid ? 0 : cost({ ...least, output: Math.floor(tokens / factor), reasoning: 0 }),
    most: cost({ ...most, output: tokens * factor + (tokens > 0 ? 1 : 0), reasoning: 0 }),
    unpaidMicros: 0,
    leastReadMicros: tokens === 0 ? cost({ ...least, output: 0, reasoning: 0 }) : 0,
    mostReadMicros: tokens === 0 ? mostReadMicros : 0,
    costMicros,
    unseenMicros,
  }
}

const nothing = {
  least: 0,
  most: 0,
  unpaidMicros: 0,
  leastReadMicros: 0,
  mostReadMicros: 0,
  costMicros: 0,
  unseenMicros: 0,
}

/** The cost of these tokens by a model's published prices, calculated independently and rounded up once. */
function costAt({ prices, longContext }: PricedModel, usage: Usage): number {
  const read = usage.input + usage.cachedInput + usage.cacheWrite
  const at = longContext && read > longContext.aboveTokens ? longContext.prices : prices
  const picos =
    BigInt(at.input) * BigInt(usage.input) +
    BigInt(at.cachedInput) * BigInt(usage.cachedInput) +
    BigInt(at.cacheWrite) * BigInt(usage.cacheWrite) +
    BigInt(at.output) * BigInt(usage.output)
  const whole = picos / 1_000_000n
  return Number(picos % 1_000_000n === 0n ? whole : whole + 1n)
}

import { DomainError } from '../../errors.ts'
import type { ModelCall } from '../api-format.ts'
import { formatNamed } from '../api-formats.ts'
import { estimateTokens, noUsage, type Usage } from '../cost.ts'
import { contentBytes } from '../json.ts'
import { type ChatFormatName, isEmbedding, type PricedModel } from '../model.ts'
import { AnswerBuilder, type AnswerChange, type AnswerEvent, type AnswerReader, type AnswerWriter } from './answer.ts'
import { chatReader, chatWriter } from './chat-answer.ts'
import { readChat, writeChat } from './chat-request.ts'
import { type Conversation, type Fields, joinTurns, type OwnTool, unsayable } from './conversation.ts'
import { fitTo, plainId } from './limits.ts'
import { messagesReader, messagesWriter } from './messages-answer.ts'
import { readMessages, writeMessages } from './messages-request.ts'
import { responsesReader, responsesWriter } from './responses-answer.ts'
import { readResponses, writeResponses } from './responses-request.ts'

interface Language {
  /** @throws validation naming a field that no other format has */
  readRequest(fields: Fields): Conversation
  /** @throws validation naming what this format cannot express */
  writeRequest(conversation: Conversation, model: PricedModel, outputTokens: number): object
  streamed: object
  reader(): AnswerReader
  writer(hidesUsage: boolean): AnswerWriter
}

const languages: Readonly<Record<ChatFormatName, Language>> = {
  'openai-chat': {
    readRequest: readChat,
    writeRequest: writeChat,
    streamed: { stream: true, stream_options: { include_usage: true } },
    reader: chatReader,
    writer: chatWriter,
  },
  'openai-responses': {
    readRequest: readResponses,
    writeRequest: writeResponses,
    streamed: { stream: true },
    reader: responsesReader,
    writer: responsesWriter,
  },
  'anthropic-messages': {
    readRequest: readMessages,
    writeRequest: writeMessages,
    streamed: { stream: true },
    reader: messagesReader,
    writer: messagesWriter,
  },
}

/**
 * Unchanged if the model has the call's format, else in the model's richest one. `outputTokens` is the sent limit.
 * @throws validation naming the field that none of them can express
 */
export const callFor = (call: ModelCall, model: PricedModel, outputTokens: number): ModelCall =>
  model.formats.includes(call.format) || isEmbedding(model) || !isChat(call)
    ? call
    : translateCall(call, model, outputTokens)

const richestFirst: readonly ChatFormatName[] = ['anthropic-messages', 'openai-responses', 'openai-chat']

type ChatCall = ModelCall & { format: ChatFormatName }

const isChat = <Call extends Pick<ModelCall, 'format'>>(call: Call): call is Call & Pick<ChatCall, 'format'> =>
  richestFirst.some((format) => format === call.format)

function translateCall(call: ChatCall, model: PricedModel, outputTokens: number): ModelCall {
  const conversation = conversationOf(call)
  let refused: unknown = unsayable('model')
  for (const format of richestFirst.filter((name) => model.formats.includes(name))) {
    try {
      return inFormat(format, call, conversation, model, outputTokens)
    } catch (thrown) {
      if (!(thrown instanceof DomainError)) throw thrown
      refused = thrown
    }
  }
  throw refused
}

function conversationOf({ format, fields }: ChatCall): Conversation {
  const read = languages[format].readRequest(fields)
  const { toolChoice, tools } = read
  const named = typeof toolChoice === 'object' && toolChoice !== null ? toolChoice.name : null
  if (named !== null && !tools.some(({ name }) => name === named)) throw unsayable('tool_choice')
  return { ...read, turns: joinTurns(read.turns) }
}

/** Drops marks for caches, searches and contexts, which are for the caller's provider. */
function inFormat(
  format: ChatFormatName,
  call: ModelCall,
  conversation: Conversation,
  model: PricedModel,
  outputTokens: number,
): ModelCall {
  const { writeRequest, streamed } = languages[format]
  const fields = { ...writeRequest(fitTo(format, conversation), model, outputTokens), ...(call.stream && streamed) }
  return {
    ...call,
    format,
    fields,
    leastOutput: formatNamed(format).leastOutput,
    // a number may be longer than it was written
    textBytes: Math.max(call.textBytes, contentBytes(fields)),
    tools: conversation.tools.length > 0,
    searches: 0,
    hourCache: false,
    wideContext: false,
    hidesUsage: false,
  }
}

/**
 * Null if the call used its own format.
 * @param sent the result of `callFor`
 * @param nowMs start of the call, ms since 1970
 * @param inputTokens the estimated input: Anthropic's clients show it from the first event on
 */
export const translationOf = (
  call: ModelCall,
  sent: ModelCall,
  nowMs: number,
  inputTokens: number,
): AnswerTranslation | null =>
  sent.format !== call.format && isChat(call) && isChat(sent)
    ? new AnswerTranslation(call, sent.format, ownTools(call, sent.format), nowMs, inputTokens)
    : null

/**
 * A stream becomes a whole answer, or the reverse. Null for a format without streams; keeps nothing else of the call.
 */
export function reshaperOf(
  { format, hidesUsage }: Pick<ModelCall, 'format' | 'hidesUsage'>,
  nowMs: number,
  inputTokens: number,
): () => AnswerTranslation | null {
  const call = { format, hidesUsage }
  return () => (isChat(call) ? new AnswerTranslation(call, call.format, new Map(), nowMs, inputTokens) : null)
}

/** By their names at the provider. */
function ownTools(call: ChatCall, provider: ChatFormatName): ReadonlyMap<string, OwnTool> {
  const { tools } = fitTo(provider, conversationOf(call))
  return new Map(tools.flatMap((tool) => (tool.own ? [[tool.name, tool.own] as const] : [])))
}

/** Knows of one answer only. */
export class AnswerTranslation {
  readonly #reader: AnswerReader
  readonly #writer: AnswerWriter
  readonly #builder: AnswerBuilder
  readonly #inputTokens: number

  /** @param inputTokens the estimated input until the provider reports */
  constructor(
    call: Pick<ChatCall, 'format' | 'hidesUsage'>,
    provider: ChatFormatName,
    own: ReadonlyMap<string, OwnTool>,
    nowMs: number,
    inputTokens: number,
  ) {
    this.#inputTokens = inputTokens
    this.#reader = languages[provider].reader()
    this.#writer = languages[call.format].writer(call.hidesUsage)
    // only Anthropic's clients send back ids that Anthropic would refuse
    const idFor = call.format === 'anthropic-messages' ? plainId : undefined
    this.#builder = new AnswerBuilder(own, Math.floor(nowMs / 1_000), idFor)
  }

  /** @throws when the provider breaks the rules of its format */
  readEvent(json: Fields, usage: Partial<Usage> | null): string {
    // a sign of life is one in every format
    if (json.type === 'ping') return ': ping\n'
    return this.#write(this.#reader.readEvent(json), usage)
  }

  get isFinished(): boolean {
    return this.#builder.answer.finish !== null
  }

  /** For a mark of the stream's end, which some providers write without a reason to stop. */
  readDone(usage: Partial<Usage> | null): string {
    if (!this.isFinished && this.#builder.answer.pieces.length > 0)
      this.#builder.take({ type: 'finish', reason: 'stop' })
    return this.readEnd(usage)
  }

  /** Empty before the provider has finished, and the second time. */
  readEnd(usage: Partial<Usage> | null): string {
    if (!this.isFinished) return ''
    return this.#write([{ type: 'end' }], usage)
  }

  readWhole(json: Fields, usage: Partial<Usage> | null): string | null {
    this.#steps(this.#reader.readWhole(json), usage)
    return this.writeWhole(usage)
  }

  /** The whole answer of the events so far; null before the provider has finished. */
  writeWhole(usage: Partial<Usage> | null): string | null {
    this.#steps([{ type: 'end' }], usage)
    return this.isFinished ? JSON.stringify(this.#writer.writeWhole(this.#builder.answer)) : null
  }

  streamWhole(json: Fields, usage: Partial<Usage> | null): string | null {
    const events = this.#write([...this.#reader.readWhole(json), { type: 'end' }], usage)
    return this.isFinished ? events : null
  }

  #write(said: readonly AnswerEvent[], usage: Partial<Usage> | null): string {
    return this.#steps(said, usage, (step) => this.#writer.writeStep(step, this.#builder.answer))
  }

  #steps(
    events: readonly AnswerEvent[],
    usage: Partial<Usage> | null,
    show: (step: AnswerChange) => string = () => '',
  ): string {
    const tell = (each: AnswerEvent): string[] => {
      const output = each.type === 'end' ? estimateTokens(this.#builder.bytes) : 0
      this.#builder.answer.usage = { ...noUsage, input: this.#inputTokens, output, ...usage }
      return this.#builder.take(each).map(show)
    }
    return events.flatMap(tell).join('')
  }
}

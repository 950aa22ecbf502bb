import { imagesOf, type RuntimeContext, saidIn, wordsOf } from '../kit/attached.ts'
import type { RuntimeSettings } from '../kit/environment.ts'
import type { Log } from '../kit/log.ts'
import { StateFolder } from '../volume/state-folder.ts'
import { budgetCharacters, compact } from './compaction.ts'
import { type Conversation, sizeOf } from './conversation.ts'
import type { Journal } from './journal.ts'
import type { McpServers } from './mcp.ts'
import {
  branchOf,
  type Line,
  placeOf,
  readNotes,
  recall,
  type Summaries,
  type Summary,
  type Transcript,
} from './memory.ts'
import { complete } from './model.ts'
import { ownAccordTools } from './own-accord.ts'
import { readImages, sendFileTool } from './sent-files.ts'
import { type Service, ServiceError } from './service.ts'
import { summaryPrompt, systemPrompt } from './system-prompt.ts'
import type { Tools } from './tool.ts'
import { listed, planTool } from './tools.ts'
import type { Completion, ListedTool, ModelCall, Usage } from './wire-format.ts'

/** A turn's proof is valid for half an hour; request a new one before that. */
const proofMs = 20 * 60_000

export interface Agent {
  settings: RuntimeSettings
  service: Service
  journal: Journal
  transcript: Transcript
  summary: Summaries
  tools: Tools
  mcp: Pick<McpServers, 'connect'>
  log: Log
}

export const promptLine = ({ prompt, replaced }: RuntimeContext): Line => ({
  id: prompt.messageId,
  role: 'user',
  text: wordsOf(prompt),
  at: prompt.at,
  replaced,
})

type Call = Pick<ModelCall, 'conversation' | 'mayCall'> & { tools: readonly ListedTool[] }

/** The conversation of one turn with its model, kept within the model's limits. */
export class TurnConversation {
  readonly tools: Tools
  /** Sent with the reply. */
  readonly files: string[] = []
  readonly #agent: Agent
  readonly #context: RuntimeContext
  readonly #show: (text: string) => void
  readonly #stop: AbortSignal
  readonly #listed: readonly ListedTool[]
  readonly #used: Usage = { input: 0, cached: 0, output: 0 }
  #proof: { turn: string; atMs: number }
  #budget = budgetCharacters
  #conversation: Conversation
  #summedUp: Summary

  private constructor(
    agent: Agent,
    context: RuntimeContext,
    { conversation, summedUp }: { conversation: Conversation; summedUp: Summary },
    mcpTools: Tools,
    show: (text: string) => void,
    stop: AbortSignal,
  ) {
    this.#agent = agent
    this.#context = context
    this.#conversation = conversation
    this.#summedUp = summedUp
    this.#show = show
    this.#stop = stop
    this.#proof = { turn: context.turn, atMs: Date.now() }
    this.tools = {
      ...agent.tools,
      ...ownAccordTools(agent.service, context.prompt.id, agent.settings),
      plan: planTool((plan) => this.#set({ plan })),
      send_file: sendFileTool(agent.settings.volume, this.files),
      ...mcpTools,
    }
    this.#listed = listed(this.tools)
  }

  static async start(agent: Agent, context: RuntimeContext, show: (text: string) => void, stop: AbortSignal) {
    const { settings, transcript, summary } = agent
    const line = promptLine(context)
    const name = context.prompt.conversation
    const branch = branchOf(transcript.of(name), context)
    const [summedUp, notes, mcp, images] = await Promise.all([
      summary.of(name, branch),
      readNotes(new StateFolder(settings.volume, 'memory')),
      agent.mcp.connect(),
      readImages(settings.volume, imagesOf(context.prompt)),
    ])
    const conversation: Conversation = {
      system: systemPrompt(context, notes, Date.now(), mcp.unreachable),
      before: summedUp.text,
      earlier: recall(context.history.map(lineOf), branch.lines, line.id, summedUp.until),
      message: line.text,
      images,
      done: '',
      plan: '',
      steps: [],
    }
    return new TurnConversation(agent, context, { conversation, summedUp }, mcp.tools, show, stop)
  }

  add(step: Conversation['steps'][number]): void {
    this.#set({ steps: [...this.#conversation.steps, step] })
  }

  /** The usage that providers report; the service reports no price. */
  cost(): string {
    const { input, cached, output } = this.#used
    return `this turn so far: ${input} tokens read, ${cached} of them cached, and ${output} written`
  }

  async makeFit(): Promise<void> {
    const { log, summary } = this.#agent
    const before = this.#conversation
    const fitting = await compact(before, this.#budget, (text) => this.#sumUp(text))
    if (fitting.conversation === before) return
    log('the conversation was compacted', { from: sizeOf(before), to: sizeOf(fitting.conversation) })
    this.#conversation = fitting.conversation
    if (!fitting.summedUpTo) return
    const { at: until } = fitting.summedUpTo
    const places = before.earlier.filter(({ at }) => at <= until).map(placeOf)
    const upTo = [this.#summedUp.upTo ?? '', ...places].sort().at(-1) ?? ''
    this.#summedUp = { until, upTo, text: fitting.conversation.before }
    await summary.set(this.#context.prompt.conversation, this.#summedUp)
  }

  /** Compacts further when a model refuses because its context is smaller. */
  async ask(mayCall: boolean): Promise<Completion> {
    for (let tried = 0; ; tried++) {
      try {
        const call = () => this.#call({ conversation: this.#conversation, tools: this.#listed, mayCall })
        return await this.#agent.service.retried(call)
      } catch (thrown) {
        const isTooMuch = thrown instanceof ServiceError && (thrown.status === 400 || thrown.status === 413)
        if (!isTooMuch || !(await this.#shrink(tried))) throw thrown
      }
    }
  }

  /** Returns false if a further call would be refused as well. */
  async #shrink(tried: number): Promise<boolean> {
    if (this.#conversation.images.length > 0) {
      // Retry without images, for a model that takes none or fewer; their names remain.
      this.#set({ images: [] })
      return true
    }
    const size = sizeOf(this.#conversation)
    this.#budget = Math.min(this.#budget, size) / 2
    if (tried === 3 || size < this.#conversation.system.length * 2) return false
    await this.makeFit()
    return sizeOf(this.#conversation) !== size
  }

  #set(more: Partial<Conversation>): void {
    this.#conversation = { ...this.#conversation, ...more }
  }

  async #call(more: Call): Promise<Completion> {
    const { settings, service } = this.#agent
    const { model, prompt } = this.#context
    this.#stop.throwIfAborted()
    if (Date.now() - this.#proof.atMs > proofMs) {
      const { turn = this.#proof.turn } = (await service.context(prompt.id)) ?? {}
      this.#proof = { turn, atMs: Date.now() }
    }
    const call = { model, trigger: prompt.trigger, turn: this.#proof.turn, stop: this.#stop, ...more }
    const answer = await complete(settings, call, this.#show)
    this.#used.input += answer.usage.input
    this.#used.cached += answer.usage.cached
    this.#used.output += answer.usage.output
    return answer
  }

  /** Null if the model fails; an unpaid or superseded call throws. */
  async #sumUp(text: string): Promise<string | null> {
    const { service, log } = this.#agent
    const empty = { before: '', earlier: [], images: [], done: '', plan: '', steps: [] }
    const conversation = { ...empty, system: summaryPrompt, message: text }
    try {
      return (await service.retried(() => this.#call({ conversation, tools: [], mayCall: false }))).text
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || [401, 402].includes(thrown.status)) throw thrown
      log('a summary failed', { status: thrown.status })
      return null
    }
  }
}

const lineOf = (message: RuntimeContext['history'][number]): Line => ({ ...message, text: saidIn(message) })

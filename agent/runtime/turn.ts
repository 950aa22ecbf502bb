import { imagesOf, type RuntimeContext, saidIn, wordsOf } from '../kit/attached.ts'
import type { RuntimeSettings } from '../kit/environment.ts'
import type { Log } from '../kit/log.ts'
import { StateFolder } from '../volume/state-folder.ts'
import { answerOnce, creditWaitSeconds, type Reply } from './answer-once.ts'
import { budgetCharacters, compact } from './compaction.ts'
import { type Conversation, sizeOf } from './conversation.ts'
import type { Journal } from './journal.ts'
import type { McpServers } from './mcp.ts'
import { type Line, readNotes, recall, type Summaries, type Transcript } from './memory.ts'
import { complete } from './model.ts'
import { ownAccordTools } from './own-accord.ts'
import { startReports } from './reports.ts'
import { readImages, sendFileTool } from './sent-files.ts'
import { type Service, ServiceError } from './service.ts'
import { summaryPrompt, systemPrompt } from './system-prompt.ts'
import type { Tools } from './tool.ts'
import { listed, planTool, runCalls } from './tools.ts'
import type { Completion, ListedTool, ModelCall, Usage } from './wire-format.ts'

const maxSteps = 40
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

/** Answers one prompt, once, also after crashes. @throws ServiceError (401, or a service that stays away), Stopped */
export const answerPrompt = (agent: Agent, promptId: string): Promise<void> =>
  answerOnce(
    {
      ...agent,
      think: (context) => think(agent, context),
      written: (context, reply) =>
        agent.transcript.add(context.prompt.id, context.prompt.conversation, [
          askedIn(context),
          ...(reply ? [reply] : []),
        ]),
    },
    promptId,
  )

const askedIn = ({ prompt }: RuntimeContext): Line => ({
  id: prompt.messageId,
  role: 'user',
  text: wordsOf(prompt),
  at: prompt.at,
})

async function think(agent: Agent, context: RuntimeContext): Promise<Reply> {
  const [stop, over] = [new AbortController(), new AbortController()]
  const promptId = context.prompt.id
  const reports = startReports(agent.service, context, () => stop.abort())
  void agent.service.untilStopped(promptId, over.signal).then((isStopped) => isStopped && stop.abort())
  try {
    const working = oncePaid(agent, () => converse(agent, context, reports, stop.signal))
    return { ...(await Promise.race([working, rejectedBy(stop.signal)])), outcome: 'completed' }
  } catch (thrown) {
    if (stop.signal.aborted || (await agent.service.isStopped(promptId)))
      return { text: reports.text, outcome: 'stopped' }
    if (!(thrown instanceof ServiceError) || thrown.status === 401) throw thrown
    agent.log('the model call failed', { promptId, status: thrown.status, error: thrown.message })
    return apology(thrown.status, thrown.message)
  } finally {
    over.abort()
    await reports.end()
  }
}

const rejectedBy = (stop: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  })

/** Tells the user once that the wallet is empty; later prompts wait for money. */
async function oncePaid<T>({ journal, service }: Agent, work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      const done = await work()
      await journal.setWalletTold(false)
      return done
    } catch (thrown) {
      const empty = thrown instanceof ServiceError && thrown.status === 402
      if (!empty) throw thrown
      if (!journal.walletTold) {
        await journal.setWalletTold(true)
        throw thrown
      }
      await service.pause(creditWaitSeconds(tried))
    }
  }
}

async function converse(
  agent: Agent,
  context: RuntimeContext,
  reports: Pick<ReturnType<typeof startReports>, 'show' | 'activity'>,
  stop: AbortSignal,
): Promise<Omit<Reply, 'outcome'>> {
  const turn = await startTurn(agent, context, reports.show, stop)
  for (let step = 1; ; step++) {
    await turn.makeFit()
    const { text, calls, thoughts } = await turn.ask(step < maxSteps)
    const { files } = turn
    if (calls.length === 0) return { text, files }
    if (step >= maxSteps)
      return { text: text || 'I stopped here: this took more steps than I may take for one message.', files }
    const results = await runCalls(turn.tools, calls, stop, reports.activity)
    turn.add({ text, calls, thoughts, results: told(results, `step ${step} of ${maxSteps}; ${turn.cost()}`) })
  }
}

/** Appends the turn's usage to the last result, which changes nothing that was sent before. */
const told = (results: readonly string[], note: string): string[] =>
  results.map((result, i) => (i === results.length - 1 ? `${result}\n\n[${note}]` : result))

async function startTurn(agent: Agent, context: RuntimeContext, show: (text: string) => void, stop: AbortSignal) {
  const { settings, service, transcript, summary, log } = agent
  const asked = askedIn(context)
  const name = context.prompt.conversation
  const summedUp = summary.of(name)
  const [notes, mcp, images] = await Promise.all([
    readNotes(new StateFolder(settings.volume, 'memory')),
    agent.mcp.connect(),
    readImages(settings.volume, imagesOf(context.prompt)),
  ])
  const files: string[] = []
  const tools: Tools = {
    ...agent.tools,
    ...ownAccordTools(service, context.prompt.id, settings),
    plan: planTool((plan) => set({ plan })),
    send_file: sendFileTool(settings.volume, files),
    ...mcp.tools,
  }
  const toolList = listed(tools)
  let proof = { turn: context.turn, atMs: Date.now() }
  let budget = budgetCharacters
  const used: Usage = { input: 0, cached: 0, output: 0 }
  let conversation: Conversation = {
    system: systemPrompt(context, notes, Date.now(), mcp.unreachable),
    before: summedUp.text,
    earlier: recall(context.history.map(lineOf), transcript.of(name), asked.id, summedUp.until),
    asked: asked.text,
    images,
    done: '',
    plan: '',
    steps: [],
  }
  const set = (more: Partial<Conversation>) => {
    conversation = { ...conversation, ...more }
  }

  async function call(more: Pick<ModelCall, 'conversation' | 'mayCall'> & { tools: readonly ListedTool[] }) {
    stop.throwIfAborted()
    if (Date.now() - proof.atMs > proofMs) {
      const { turn = proof.turn } = (await service.context(context.prompt.id)) ?? {}
      proof = { turn, atMs: Date.now() }
    }
    const { model, prompt } = context
    const answer = await complete(settings, { model, trigger: prompt.trigger, turn: proof.turn, stop, ...more }, show)
    used.input += answer.usage.input
    used.cached += answer.usage.cached
    used.output += answer.usage.output
    return answer
  }

  /** Null if the model fails; an unpaid or superseded call throws. */
  async function sumUp(text: string): Promise<string | null> {
    const empty = { before: '', earlier: [], images: [], done: '', plan: '', steps: [] }
    const conversation = { ...empty, system: summaryPrompt, asked: text }
    try {
      return (await service.retried(() => call({ conversation, tools: [], mayCall: false }))).text
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || [401, 402].includes(thrown.status)) throw thrown
      log('a summary failed', { status: thrown.status })
      return null
    }
  }

  async function makeFit(): Promise<void> {
    const fitting = await compact(conversation, budget, sumUp)
    if (fitting.conversation === conversation) return
    log('the conversation was compacted', { from: sizeOf(conversation), to: sizeOf(fitting.conversation) })
    conversation = fitting.conversation
    const { before: text } = conversation
    if (fitting.summedUpTo) await summary.set(name, { until: fitting.summedUpTo.at, text })
  }

  /** Compacts further when a model refuses because its context is smaller. */
  async function ask(mayCall: boolean): Promise<Completion> {
    for (let tried = 0; ; tried++) {
      try {
        return await service.retried(() => call({ conversation, tools: toolList, mayCall }))
      } catch (thrown) {
        if (conversation.images.length > 0 && thrown instanceof ServiceError && isRefused(thrown)) {
          // Retry without images, for a model that takes none or fewer; their names remain.
          set({ images: [] })
          continue
        }
        const isTooLong = thrown instanceof ServiceError && isRefused(thrown)
        const size = sizeOf(conversation)
        budget = Math.min(budget, size) / 2
        if (!isTooLong || tried === 3 || size < conversation.system.length * 2) throw thrown
        await makeFit()
        if (sizeOf(conversation) === size) throw thrown
      }
    }
  }

  return {
    tools,
    files,
    makeFit,
    ask,
    add: (step: Conversation['steps'][number]) => set({ steps: [...conversation.steps, step] }),
    /** The usage that providers report; the service reports no price. */
    cost: () =>
      `this turn so far: ${used.input} tokens read, ${used.cached} of them cached, and ${used.output} written`,
  }
}

const lineOf = (message: RuntimeContext['history'][number]): Line => ({ ...message, text: saidIn(message) })

const isRefused = ({ status }: ServiceError): boolean => status === 400 || status === 413

const walletEmpty =
  'Your wallet is empty, so I could not work on this. Top it up on the wallet page of the dashboard, then send me your message again.'
const unpaid: Record<string, string> = {
  'spending-limit':
    'Your spending limit for today leaves too little for this. Raise it on the wallet page of the dashboard, or send me your message again after 00:00 UTC.',
  'wallet-suspended':
    'Your wallet is suspended, so I could not work on this. Reply to any e-mail from us and we’ll look into it.',
}

function apology(because: number, code: string): Reply {
  if (because === 402) return { text: unpaid[code] ?? walletEmpty, outcome: 'needs_input' }
  const why =
    because === 429
      ? 'I am asking the model too often at the moment.'
      : because > 500
        ? 'The model provider does not answer at the moment.'
        : 'Something failed while I worked on this.'
  return { text: `${why} Please send me your message again in a few minutes.`, outcome: 'failed' }
}

import { join } from 'node:path'
import type { RuntimeSettings } from '../environment.ts'
import type { Log } from '../log.ts'
import { asObject } from '../shapes.ts'
import { type Line, readContext, readLine, type TurnContext } from './context.ts'
import type { Journal, Outcome } from './journal.ts'
import { readNotes } from './memory.ts'
import { type ChatMessage, complete } from './model.ts'
import { startProgress } from './progress.ts'
import { type Pause, ServiceError, withRecoveries } from './recoveries.ts'
import type { Service } from './service.ts'
import { systemPrompt } from './system-prompt.ts'
import type { Tools } from './tools.ts'
import { recall, type Transcript } from './transcript.ts'

const maxRounds = 16
const maxConversation = 48_000
/** A prompt whose thinking was begun this often without an answer ends the runtime each time; it is given up. */
const maxStarts = 3

export interface Agent {
  settings: RuntimeSettings
  service: Service
  journal: Journal
  transcript: Transcript
  tools: Tools
  pause: Pause
  log: Log
}

type Said = { text: string; outcome: Outcome }

/**
 * Answers one prompt, once, whatever crashed before: thinks unless an answer is in the journal, sends it, writes
 * it down, closes the prompt. @throws ServiceError (401, or a service that stays away), Stopped
 */
export async function answerPrompt(agent: Agent, promptId: string): Promise<void> {
  const { journal, service, pause } = agent
  const before = journal.answered(promptId)
  if (before) return close(agent, promptId, before)
  const found = await unlessGone(
    withRecoveries(() => service.get(`/agent/context?prompt=${encodeURIComponent(promptId)}`), pause),
  )
  if (found === gone) return journal.clear()
  const context = readContext(found)
  const said = context.reply ? { text: context.reply.text, outcome: 'completed' as const } : await say(agent, context)
  const written = context.reply ?? (await send(agent, context, said))
  await agent.transcript.add(promptId, [context.asked, ...(written ? [written] : [])])
  await journal.finish(promptId, said.outcome)
  await close(agent, promptId, said.outcome)
}

async function close({ service, journal, pause, log }: Agent, promptId: string, outcome: Outcome): Promise<void> {
  await unlessGone(withRecoveries(() => service.post('/agent/feedback', { promptId, outcome }), pause))
  await journal.clear()
  log('prompt closed', { promptId, outcome })
}

const gone = Symbol('gone')

/** A prompt the service no longer knows is closed, by us or for us. */
const unlessGone = <T>(call: Promise<T>): Promise<T | typeof gone> =>
  call.catch((thrown: unknown) => {
    if (thrown instanceof ServiceError && thrown.status === 404) return gone
    throw thrown
  })

/** The answer of the journal, or one thought now; noted before it is sent so that it is never paid for twice. */
async function say(agent: Agent, context: TurnContext): Promise<Said> {
  const { journal } = agent
  const { promptId } = context
  const current = journal.current()
  if (current?.answer) return current.answer
  const starts = (current?.starts ?? 0) + 1
  await journal.setCurrent({ promptId, starts, answer: null })
  const said = starts > maxStarts ? apology('crashed') : await think(agent, context)
  const answer = { text: said.text.trim().slice(0, context.replyCharacters) || '(no answer)', outcome: said.outcome }
  await journal.setCurrent({ promptId, starts, answer })
  return answer
}

async function send({ service, pause }: Agent, context: TurnContext, said: Said): Promise<Line | null> {
  const body = { kind: 'reply', promptId: context.promptId, text: said.text }
  const answer = await unlessGone(withRecoveries(() => service.post('/agent/observe', body), pause))
  return answer === gone ? null : readLine(asObject(answer).message)
}

async function think(agent: Agent, context: TurnContext): Promise<Said> {
  const progress = startProgress(agent.service, context.promptId, context.progressCharacters)
  try {
    return { text: await oncePaid(agent, () => converse(agent, context, progress.show)), outcome: 'completed' }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || thrown.status === 401) throw thrown
    agent.log('the model call failed', { promptId: context.promptId, status: thrown.status, error: thrown.message })
    return apology(thrown.status)
  } finally {
    progress.stop()
  }
}

/** An empty wallet is told once; whatever is asked after that waits until there is money. Seconds. */
const creditWaits = [15, 30, 60, 120, 300]

async function oncePaid<T>({ journal, pause }: Agent, work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      const done = await work()
      await journal.setWalletTold(false)
      return done
    } catch (thrown) {
      const empty = thrown instanceof ServiceError && thrown.status === 402
      if (!empty) throw thrown
      if (!journal.walletTold()) {
        await journal.setWalletTold(true)
        throw thrown
      }
      await pause(creditWaits[Math.min(tried, creditWaits.length - 1)] ?? 300)
    }
  }
}

/** Calls the model, runs the tools it asks for, and so on until it only talks. */
async function converse(agent: Agent, context: TurnContext, show: (text: string) => void): Promise<string> {
  const { settings, transcript, tools } = agent
  const notes = await readNotes(join(settings.volume, 'memory'))
  const earlier = recall(context.history, transcript.lines(), context.asked.id, maxConversation)
  const messages: ChatMessage[] = [
    { role: 'system', content: systemPrompt(context, notes, Date.now()) },
    ...[...earlier, context.asked].map(asChat),
  ]
  for (let round = 1; ; round++) {
    const asked = {
      model: context.model,
      trigger: context.trigger,
      turn: context.turn,
      messages,
      tools: round < maxRounds ? tools.listed : [],
    }
    const { text, toolCalls } = await withRecoveries(() => complete(settings, asked, show), agent.pause)
    if (toolCalls.length === 0) return text
    if (round >= maxRounds) return text || 'I stopped here: this took more steps than I may take for one message.'
    messages.push({
      role: 'assistant',
      content: text || null,
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      })),
    })
    for (const call of toolCalls) messages.push({ role: 'tool', tool_call_id: call.id, content: await tools.run(call) })
  }
}

const asChat = ({ role, text }: Line): ChatMessage => ({ role: role === 'agent' ? 'assistant' : 'user', content: text })

/** What the user reads when no model answer came. */
function apology(because: number | 'crashed'): Said {
  if (because === 402)
    return {
      text: 'Your wallet is empty, so I could not work on this. Top it up on the wallet page of the dashboard, then send me your message again.',
      outcome: 'needs_input',
    }
  if (because === 'crashed')
    return { text: 'I stopped several times while I worked on this, so I gave it up.', outcome: 'failed' }
  const why =
    because === 429
      ? 'I am asking the model too often at the moment.'
      : because > 500
        ? 'The model provider does not answer at the moment.'
        : 'Something failed while I worked on this.'
  return { text: `${why} Please send me your message again in a few minutes.`, outcome: 'failed' }
}

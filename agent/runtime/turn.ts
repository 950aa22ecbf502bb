import { join } from 'node:path'
import type { AgentContext } from '../../domain/agent/turn.ts'
import type { Outcome } from '../../domain/chat/message.ts'
import type { RuntimeSettings } from '../environment.ts'
import type { Log } from '../log.ts'
import type { Journal } from './journal.ts'
import { type Line, readNotes, recall, type Transcript } from './memory.ts'
import { type ChatMessage, complete } from './model.ts'
import { type Service, ServiceError } from './service.ts'
import { systemPrompt } from './system-prompt.ts'
import type { Tools } from './tools.ts'

const maxRounds = 16
const maxConversation = 48_000
/** A prompt whose thinking was begun this often without an answer ends the runtime each time; it is given up. */
const maxStarts = 3
/** Progress is shown at most this often, and less often while it is refused. */
const progressMs = 100
const refusedMs = 5_000
/** The lease is prolonged this often even when there is nothing new to show. */
const renewMs = 30_000

export interface Agent {
  settings: RuntimeSettings
  service: Service
  journal: Journal
  transcript: Transcript
  tools: Tools
  log: Log
}

type Reply = { text: string; outcome: Outcome }

/**
 * Answers one prompt, once, whatever crashed before: thinks unless an answer is in the journal, sends it, writes
 * it down, closes the prompt. @throws ServiceError (401, or a service that stays away), Stopped
 */
export async function answerPrompt(agent: Agent, promptId: string): Promise<void> {
  const { journal, service } = agent
  const before = journal.answered(promptId)
  if (before) return close(agent, promptId, before)
  const context = await service.context(promptId)
  if (!context) return journal.clear()
  const reply = context.reply
    ? { text: context.reply.text, outcome: 'completed' as const }
    : await replyTo(agent, context)
  const written = context.reply ?? (await service.reply(promptId, reply.text))
  await agent.transcript.add(promptId, [askedIn(context), ...(written ? [written] : [])])
  await journal.finish(promptId, reply.outcome)
  await close(agent, promptId, reply.outcome)
}

const askedIn = ({ prompt: { messageId, text, at } }: AgentContext): Line => ({ id: messageId, role: 'user', text, at })

async function close({ service, journal, log }: Agent, promptId: string, outcome: Outcome): Promise<void> {
  await service.close({ promptId, outcome })
  await journal.clear()
  log('prompt closed', { promptId, outcome })
}

/** The answer of the journal, or one thought now; noted before it is sent so that it is never paid for twice. */
async function replyTo(agent: Agent, context: AgentContext): Promise<Reply> {
  const { current, setCurrent } = agent.journal
  if (current?.answer) return current.answer
  const promptId = context.prompt.id
  const starts = (current?.starts ?? 0) + 1
  await setCurrent({ promptId, starts, answer: null })
  const { text, outcome } = starts > maxStarts ? apology('crashed') : await think(agent, context)
  const answer = { text: text.trim().slice(0, context.limits.replyCharacters) || '(no answer)', outcome }
  await setCurrent({ promptId, starts, answer })
  return answer
}

async function think(agent: Agent, context: AgentContext): Promise<Reply> {
  using progress = startProgress(agent.service, context)
  try {
    return { text: await oncePaid(agent, () => converse(agent, context, progress.show)), outcome: 'completed' }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || thrown.status === 401) throw thrown
    agent.log('the model call failed', { promptId: context.prompt.id, status: thrown.status, error: thrown.message })
    return apology(thrown.status, thrown.message)
  }
}

/** Shows what is being written, from where it was shown on, and keeps the prompt's lease alive. */
function startProgress(service: Service, { prompt, limits }: AgentContext) {
  let text = ''
  let shown = ''
  let shownMs = Date.now()
  let waitMs = 0
  let busy = false
  const timer = setInterval(async () => {
    const sinceMs = Date.now() - shownMs
    if (busy || sinceMs < waitMs || (text === shown && sinceMs < renewMs)) return
    busy = true
    // A text that is not how it was before began anew.
    const from = text.startsWith(shown) ? shown.length : 0
    const next = text.slice(0, from + limits.progressCharacters)
    shownMs = Date.now()
    const accepted = await service.progress(prompt.id, from, next.slice(from)).then(
      () => true,
      () => false,
    )
    // Of a report that is lost nothing is known, so the next one is from the beginning.
    shown = accepted ? next : ''
    waitMs = accepted ? 0 : refusedMs
    busy = false
  }, progressMs)
  return {
    show(next: string) {
      text = next.slice(0, limits.replyCharacters)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** An empty wallet is told once; whatever is asked after that waits until there is money. Seconds. */
const creditWaits = [15, 30, 60, 120, 300]

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
      await service.pause(creditWaits[Math.min(tried, creditWaits.length - 1)] ?? 300)
    }
  }
}

/** Calls the model, runs the tools it asks for, and so on until it only talks. */
async function converse(agent: Agent, context: AgentContext, show: (text: string) => void): Promise<string> {
  const { settings, service, transcript, tools } = agent
  const { model, turn, prompt } = context
  const asked = askedIn(context)
  const notes = await readNotes(join(settings.volume, 'memory'))
  const earlier = recall(context.history, transcript.lines, asked.id, maxConversation)
  const messages: ChatMessage[] = [
    { role: 'system', content: systemPrompt(context, notes, Date.now()) },
    ...[...earlier, asked].map(asChat),
  ]
  for (let round = 1; ; round++) {
    const call = { model, turn, trigger: prompt.trigger, messages, tools: round < maxRounds ? tools.listed : [] }
    const { text, toolCalls } = await service.retried(() => complete(settings, call, show))
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

const walletEmpty =
  'Your wallet is empty, so I could not work on this. Top it up on the wallet page of the dashboard, then send me your message again.'
const unpaid: Record<string, string> = {
  'spending-limit':
    'Your spending limit for today leaves too little for this. Raise it on the wallet page of the dashboard, or send me your message again after 00:00 UTC.',
  'wallet-suspended':
    'Your wallet is suspended, so I could not work on this. Answer any mail of ours to have it looked into.',
}

/** What the user reads when no model answer came. */
function apology(because: number | 'crashed', code = ''): Reply {
  if (because === 402) return { text: unpaid[code] ?? walletEmpty, outcome: 'needs_input' }
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

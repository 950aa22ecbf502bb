import type { Message, Outcome } from '../../domain/chat/message.ts'
import type { RuntimeContext } from '../attached.ts'
import type { Log } from '../log.ts'
import { cut } from '../text.ts'
import type { Journal } from './journal.ts'
import type { Service } from './service.ts'

/** A prompt whose thinking was begun this often without an answer ends the runtime each time; it is given up. */
const maxStarts = 3

/** `files` are paths on the volume that go with it. */
export interface Reply {
  text: string
  outcome: Outcome
  files?: string[]
}

/** Answers prompts. */
interface Answerer {
  service: Pick<Service, 'context' | 'reply' | 'close'>
  journal: Journal
  log: Log
  think(context: RuntimeContext): Promise<Reply>
  /**
   * Receives the reply once it is written, or null if there is none, before the prompt is closed; possibly again after
   * a crash.
   */
  written?(context: RuntimeContext, reply: Message | null): Promise<void>
}

/**
 * Answers one prompt, once, whatever crashed before: thinks unless an answer is in the journal, sends it, writes
 * it down, closes the prompt. @throws ServiceError (401, or a service that stays away), Stopped
 */
export async function answerOnce(answerer: Answerer, promptId: string): Promise<void> {
  const { journal, service } = answerer
  const before = journal.answered(promptId)
  if (before) return close(answerer, promptId, before)
  const context = await service.context(promptId)
  if (!context) return journal.clear()
  const { text, outcome, files } = context.reply ? sent : await replyTo(answerer, context)
  const written = context.reply ?? (text ? await service.reply(promptId, text, files) : null)
  await answerer.written?.(context, written)
  await journal.finish(promptId, outcome)
  await close(answerer, promptId, outcome)
}

const sent: Reply = { text: '', outcome: 'completed' }
const gaveUp: Reply = { text: 'I stopped several times while I worked on this, so I gave it up.', outcome: 'failed' }

async function close({ service, journal, log }: Answerer, promptId: string, outcome: Outcome): Promise<void> {
  await service.close({ promptId, outcome })
  await journal.clear()
  log('prompt closed', { promptId, outcome })
}

/** The answer of the journal, or one thought now; noted before it is sent so that it is never paid for twice. */
async function replyTo({ journal, think }: Answerer, context: RuntimeContext): Promise<Reply> {
  const { current, setCurrent } = journal
  if (current?.answer) return current.answer
  if (context.prompt.stoppedAt) return { text: '', outcome: 'stopped' }
  const promptId = context.prompt.id
  const starts = (current?.starts ?? 0) + 1
  await setCurrent({ promptId, starts, answer: null })
  const { text, outcome, files } = starts > maxStarts ? gaveUp : await think(context)
  const whole = cut(text.trim(), context.limits.replyCharacters)
  const answer = {
    text: whole || (outcome === 'stopped' ? '' : '(no answer)'),
    outcome,
    ...(files?.length && { files }),
  }
  await setCurrent({ promptId, starts, answer })
  return answer
}

/** The wait for money after the user got the notice that the wallet is empty; it grows each time. */
export const creditWaitSeconds = (tried: number): number => [15, 30, 60, 120][tried] ?? 300

import type { Message, Outcome } from '../../domain/chat/message.ts'
import type { RuntimeContext } from '../kit/attached.ts'
import type { Log } from '../kit/log.ts'
import { cut } from '../kit/text.ts'
import type { Journal } from './journal.ts'
import type { Reply } from './reply.ts'
import type { Service } from './service.ts'

/** A prompt that was started this often without an answer crashes the runtime each time, and is given up. */
const maxStarts = 3

interface Answerer {
  service: Pick<Service, 'context' | 'reply' | 'close'>
  journal: Journal
  log: Log
  think(context: RuntimeContext): Promise<Reply>
  /** Receives the reply, or null for none, before the prompt is closed; possibly again after a crash. */
  written?(context: RuntimeContext, reply: Message | null): Promise<void>
}

/**
 * Answers one prompt, once, also after crashes: sends the journal's answer or a new one, and closes the prompt.
 * @throws ServiceError (401, or a service that stays away), Stopped
 */
export async function answerOnce(answerer: Answerer, promptId: string): Promise<void> {
  const { journal, service } = answerer
  const before = journal.answered(promptId)
  if (before) return close(answerer, promptId, before)
  const context = await service.context(promptId)
  if (!context) return journal.clear()
  const reply = context.reply
    ? { ...sent, outcome: context.reply.outcome ?? sent.outcome }
    : await replyTo(answerer, context)
  const written = context.reply ?? (reply.text ? await service.reply(promptId, reply) : null)
  await answerer.written?.(context, written)
  await journal.finish(promptId, reply.outcome)
  await close(answerer, promptId, reply.outcome)
}

const sent: Reply = { text: '', outcome: 'completed' }
const gaveUp: Reply = { text: 'I stopped several times while I worked on this, so I gave it up.', outcome: 'failed' }

async function close({ service, journal, log }: Answerer, promptId: string, outcome: Outcome): Promise<void> {
  await service.close({ promptId, outcome })
  await journal.clear()
  log('prompt closed', { promptId, outcome })
}

/** Notes a new answer before it is sent, so that it is never paid for twice. */
async function replyTo({ journal, think }: Answerer, context: RuntimeContext): Promise<Reply> {
  const { current, setCurrent } = journal
  if (current?.answer) return current.answer
  if (context.prompt.stoppedAt) return { text: '', outcome: 'stopped' }
  const promptId = context.prompt.id
  const starts = (current?.starts ?? 0) + 1
  await setCurrent({ promptId, starts, answer: null })
  const reply = starts > maxStarts ? gaveUp : await think(context)
  const whole = cut(reply.text.trim(), context.limits.replyCharacters)
  const answer = { ...reply, text: whole || (reply.outcome === 'stopped' ? '' : '(no answer)') }
  await setCurrent({ promptId, starts, answer })
  return answer
}

/** Delay before the next check for money; it grows with each try. */
const creditWaitSeconds = (tried: number): number => [15, 30, 60, 120][tried] ?? 300

/** Tells the user once that nothing can be paid; later prompts wait for money, as the service says of them. */
export async function oncePaid(
  { journal, service }: { journal: Journal; service: Pick<Service, 'paysNothing' | 'pauseUnlessStopped'> },
  promptId: string,
  work: () => Promise<Reply>,
): Promise<Reply> {
  for (let tried = 0; ; tried++) {
    const reply = await work()
    const mustWait = await service.paysNothing(reply.refusal)
    if (!mustWait || !journal.walletTold) {
      if (mustWait || reply.outcome === 'completed') await journal.setWalletTold(mustWait)
      return reply
    }
    await service.pauseUnlessStopped(promptId, creditWaitSeconds(tried))
  }
}

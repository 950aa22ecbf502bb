import type { RuntimeContext } from '../kit/attached.ts'
import { answerOnce, oncePaid } from './answer-once.ts'
import { refusedReply } from './refused-reply.ts'
import type { Reply } from './reply.ts'
import { startReports } from './reports.ts'
import { ServiceError } from './service.ts'
import { runCalls } from './tools.ts'
import { type Agent, promptLine, TurnConversation } from './turn-conversation.ts'

const maxSteps = 40

/** Answers one prompt, once, also after crashes. @throws ServiceError (401, or a service that stays away), Stopped */
export const answerPrompt = (agent: Agent, promptId: string): Promise<void> =>
  answerOnce(
    {
      ...agent,
      think: (context) => oncePaid(agent, promptId, () => think(agent, context)),
      written: (context, reply) =>
        agent.transcript.add(context.prompt.id, context.prompt.conversation, [
          promptLine(context),
          ...(reply ? [reply] : []),
        ]),
    },
    promptId,
  )

async function think(agent: Agent, context: RuntimeContext): Promise<Reply> {
  const [stop, over] = [new AbortController(), new AbortController()]
  const promptId = context.prompt.id
  const reports = startReports(agent.service, context, () => stop.abort())
  void agent.service.untilStopped(promptId, over.signal).then((isStopped) => isStopped && stop.abort())
  try {
    const working = converse(agent, context, reports, stop.signal)
    return { ...(await Promise.race([working, rejectedBy(stop.signal)])), outcome: 'completed' }
  } catch (thrown) {
    if (stop.signal.aborted || (await agent.service.isStopped(promptId)))
      return { text: reports.text, outcome: 'stopped' }
    if (!(thrown instanceof ServiceError) || thrown.status === 401) throw thrown
    const { status, message: code, explanation: message } = thrown
    agent.log('the model call failed', { promptId, status, error: code })
    return refusedReply({ status, code, message })
  } finally {
    over.abort()
    await reports.end()
  }
}

const rejectedBy = (stop: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  })

async function converse(
  agent: Agent,
  context: RuntimeContext,
  reports: Pick<ReturnType<typeof startReports>, 'show' | 'activity'>,
  stop: AbortSignal,
): Promise<Omit<Reply, 'outcome'>> {
  const turn = await TurnConversation.start(agent, context, reports.show, stop)
  for (let step = 1; ; step++) {
    await turn.makeFit()
    const { text, calls, thoughts } = await turn.ask(step < maxSteps)
    const { files } = turn
    if (calls.length === 0) return { text, files }
    if (step >= maxSteps)
      return { text: text || 'I stopped here: this took more steps than I may take for one message.', files }
    const results = await runCalls(turn.tools, calls, stop, reports.activity)
    turn.add({ text, calls, thoughts, results: withNote(results, `step ${step} of ${maxSteps}; ${turn.cost()}`) })
  }
}

/** Appends the turn's usage to the last result, which changes nothing that was sent before. */
const withNote = (results: readonly string[], note: string): string[] =>
  results.map((result, i) => (i === results.length - 1 ? `${result}\n\n[${note}]` : result))

import { join } from 'node:path'
import type { Activity } from '../../domain/agent/activity.ts'
import type { SentObservation } from '../../domain/agent/observation.ts'
import type { Message } from '../../domain/chat/message.ts'
import type { Question } from '../../domain/chat/question.ts'
import type { RuntimePrompt } from '../kit/attached.ts'
import { imagesOf, type RuntimeContext, saidIn, wordsOf } from '../kit/attached.ts'
import { type RuntimeSettings, runtimeSettings } from '../kit/environment.ts'
import { type Log, makeLog, nameOf } from '../kit/log.ts'
import { cutStart } from '../kit/text.ts'
import { answerOnce, oncePaid } from '../runtime/answer-once.ts'
import { type Journal, openJournal } from '../runtime/journal.ts'
import { refusedReply } from '../runtime/refused-reply.ts'
import type { Reply } from '../runtime/reply.ts'
import { startReports } from '../runtime/reports.ts'
import { ServiceError, Stopped } from '../runtime/service.ts'
import { StateFolder } from '../volume/state-folder.ts'
import { machineInstructions } from './instructions.ts'
import { Loopback } from './loopback.ts'
import { endProgram, openSessions, promptUnderWay } from './program.ts'

const maxHistoryCharacters = 24_000

export interface Turn {
  prompt: RuntimePrompt
  /** Oldest first. */
  history: Message[]
  /** The request and the paths of its attachments; without a session, preceded by the conversation so far. */
  words: string
  /** Attachments that the model may see as images. */
  images: { path: string; type: string }[]
  /** The persona's files, then the description of the machine. */
  instructions: string
  /** `provider/model`, or `default`. */
  model: string
  /** Address of this prompt's model calls, without `/v1`. */
  baseUrl: string
  key: string
  volume: string
  folder: string
  /** The program's session of this conversation; null before the first. */
  session: string | null
  setSession(session: string | null): Promise<void>
  /** Raised when the user stops the reply. */
  stopped: AbortSignal
  /** Shows the reply so far. */
  show(text: string): void
  activity(activity: Activity): void
  /** Attaches a file to the reply, by its path on the volume. */
  attach(path: string): void
  /** @returns the owner's answered or expired question */
  ask(question: Omit<Extract<SentObservation, { kind: 'question' }>, 'kind' | 'promptId'>): Promise<Question>
  /** Sends an unprompted message. */
  say(key: string, text: string): Promise<void>
}

/** The program's own message when it has no answer. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

interface Host {
  name: string
  answer: (turn: Turn) => Promise<string>
  settings: RuntimeSettings
  loopback: Loopback
  journal: Journal
  sessions: ReturnType<typeof openSessions>
  log: Log
}

/**
 * Takes prompts one after another, and answers each once, also after crashes.
 * @param answer @throws NoAnswer with what went wrong
 */
export function hostRuntime(name: string, answer: (turn: Turn) => Promise<string>): void {
  const log = makeLog('runtime')
  run(name, answer, log).then(
    () => process.exit(0),
    (thrown: unknown) => {
      if (thrown instanceof Stopped) process.exit(0)
      log('the runtime ends', { because: nameOf(thrown) })
      process.exit(1)
    },
  )
}

async function run(name: string, answer: Host['answer'], log: Log): Promise<void> {
  const settings = runtimeSettings()
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort())
  const folder = join(settings.volume, 'state', name)
  endProgram(folder)
  // The supervisor holds the other end of the pipe: exit with it.
  process.stdin.resume().once('close', () => {
    endProgram(folder)
    process.exit(1)
  })
  const host: Host = {
    name,
    answer,
    settings,
    loopback: new Loopback(settings, stopping.signal),
    // Shared with the reference agent, so no two runtimes answer the same prompt.
    journal: await openJournal(new StateFolder(settings.volume, 'state')),
    sessions: openSessions(new StateFolder(settings.volume, 'state', name)),
    log,
  }
  const service = host.loopback
  const think = (context: RuntimeContext) =>
    oncePaid({ ...host, service }, context.prompt.id, () => thinkOnce(host, context))
  const answerer = { ...host, service, think }
  while (!stopping.signal.aborted) {
    try {
      const promptId = await nextPrompt(host)
      if (promptId) await answerOnce(answerer, promptId)
    } catch (thrown) {
      if (thrown instanceof Stopped || (thrown instanceof ServiceError && thrown.status === 401)) throw thrown
      log('the turn was put off', { because: nameOf(thrown) })
      await host.loopback.pause(30)
    }
  }
}

/**
 * The next prompt's id, noted at once; null when none came within the wait. A prompt that was answered before a crash
 * only has to be sent.
 */
async function nextPrompt({ loopback, journal }: Host): Promise<string | null> {
  if (journal.current?.answer) return journal.current.promptId
  const prompt = await loopback.nextPrompt()
  if (prompt && prompt.id !== journal.current?.promptId && !journal.answered(prompt.id))
    await journal.setCurrent({ promptId: prompt.id, starts: 0, answer: null })
  return prompt?.id ?? null
}

async function thinkOnce(host: Host, context: RuntimeContext): Promise<Reply> {
  const { name, settings, loopback, sessions, log } = host
  const { prompt, history, persona, model } = context
  const [over, stopped] = [new AbortController(), new AbortController()]
  const reports = startReports(loopback, context, () => stopped.abort())
  void loopback.untilStopped(prompt.id, over.signal).then((isStopped) => isStopped && stopped.abort())
  const session = await sessions.of(prompt.conversation)
  const message = wordsOf(prompt, settings.volume)
  const files: string[] = []
  const turn: Turn = {
    prompt,
    history,
    words: session === null ? withHistory(history, message) : message,
    images: imagesOf(prompt).map(({ path, type }) => ({ path: join(settings.volume, path), type })),
    instructions: [...persona.files.map(({ text }) => text.trim()), machineInstructions].join('\n\n'),
    model,
    baseUrl: `${settings.loopback}/turns/${prompt.id}/llm/proxy`,
    key: settings.loopbackKey,
    volume: settings.volume,
    folder: join(settings.volume, 'state', name),
    session,
    setSession: (next) => sessions.set(prompt.conversation, next),
    stopped: stopped.signal,
    show: reports.show,
    activity: reports.activity,
    attach: (path) => void files.push(path),
    async ask(question) {
      const { question: asked } = await loopback.observe({ ...question, kind: 'question', promptId: prompt.id })
      if (!asked) throw new NoAnswer('The question was not taken.')
      return loopback.untilAnswered(asked.id, stopped.signal)
    },
    say: async (key, text) => void (await loopback.observe({ kind: 'message', key, text })),
  }
  try {
    const text = await promptUnderWay.run(prompt.id, () => host.answer(turn))
    return stopped.signal.aborted ? { text: reports.text, outcome: 'stopped' } : { text, outcome: 'completed', files }
  } catch (thrown) {
    if (stopped.signal.aborted || (await loopback.isStopped(prompt.id)))
      return { text: reports.text, outcome: 'stopped' }
    if (thrown instanceof Stopped || (thrown instanceof ServiceError && thrown.status === 401)) throw thrown
    const refusal = await loopback.refusal(prompt.id)
    const { status, code } = refusal ?? {}
    log('the program gave no answer', { promptId: prompt.id, because: nameOf(thrown), status, error: code })
    if (refusal) return refusedReply(refusal)
    return { text: 'Something failed while I worked on this. Please try again in a few minutes.', outcome: 'failed' }
  } finally {
    over.abort()
    await reports.end()
  }
}

function withHistory(history: Message[], message: string): string {
  if (history.length === 0) return message
  const earlier = history
    .map((message) => `${message.role === 'agent' ? 'You' : 'User'}: ${saidIn(message)}`)
    .join('\n\n')
  return `What was said before:\n\n${cutStart(earlier, maxHistoryCharacters)}\n\nThe user says now:\n\n${message}`
}

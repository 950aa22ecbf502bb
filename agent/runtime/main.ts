import { join } from 'node:path'
import { runtimeSettings } from '../environment.ts'
import { makeLog, nameOf } from '../log.ts'
import { asObject, asText } from '../shapes.ts'
import { openJournal } from './journal.ts'
import { pauses, ServiceError, Stopped, withRecoveries } from './recoveries.ts'
import { makeService } from './service.ts'
import { makeTools } from './tools.ts'
import { openTranscript } from './transcript.ts'
import { type Agent, answerPrompt } from './turn.ts'

const log = makeLog('runtime')
const waitSeconds = 20

/** Takes prompts one after another until told to stop. @throws ServiceError 401 when this machine is superseded */
async function run(): Promise<void> {
  const settings = runtimeSettings()
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort())
  // The supervisor holds the other end: when it is gone, there is nobody to talk to.
  process.stdin.resume().once('close', () => process.exit(1))
  const pause = pauses(settings.backoffScale, stopping.signal)
  const agent: Agent = {
    settings,
    service: makeService(settings),
    journal: await openJournal(join(settings.volume, 'state')),
    transcript: await openTranscript(join(settings.volume, 'memory', 'transcript.jsonl')),
    tools: makeTools(settings.volume, settings.shell),
    pause,
    log,
  }
  while (!stopping.signal.aborted) {
    try {
      const promptId = agent.journal.current()?.promptId ?? (await nextPrompt(agent, stopping.signal))
      if (promptId) await answerPrompt(agent, promptId)
    } catch (thrown) {
      if (thrown instanceof Stopped || (thrown instanceof ServiceError && thrown.status === 401)) throw thrown
      log('the turn was put off', { because: thrown instanceof ServiceError ? thrown.message : nameOf(thrown) })
      await pause(30)
    }
  }
}

/** The next prompt's id, noted in the journal at once; null when none came within the wait. */
async function nextPrompt({ service, journal, pause }: Agent, stop: AbortSignal): Promise<string | null> {
  const answer = await withRecoveries(() => service.get(`/agent/prompt?wait=${waitSeconds}`, stop), pause)
  const promptId = asText(asObject(asObject(answer).prompt).id)
  if (promptId === '') return null
  if (!journal.answered(promptId)) await journal.setCurrent({ promptId, starts: 0, answer: null })
  return promptId
}

run().then(
  () => process.exit(0),
  (thrown: unknown) => {
    if (thrown instanceof Stopped) process.exit(0)
    log('the runtime ends', { because: thrown instanceof ServiceError ? thrown.message : nameOf(thrown) })
    process.exit(1)
  },
)

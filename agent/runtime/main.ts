import { keepCompiled } from '../kit/compile-cache.ts'
import { runtimeSettings } from '../kit/environment.ts'
import { makeLog, nameOf } from '../kit/log.ts'
import { StateFolder } from '../volume/state-folder.ts'
import { openJournal } from './journal.ts'
import { McpServers } from './mcp.ts'
import { openSummary, openTranscript } from './memory.ts'
import { Service, ServiceError, Stopped } from './service.ts'
import { ownTools } from './tools.ts'
import { answerPrompt } from './turn.ts'
import type { Agent } from './turn-conversation.ts'

const log = makeLog('runtime')

/** Takes prompts one after another. @throws ServiceError 401 when this machine is superseded */
async function run(): Promise<void> {
  const settings = runtimeSettings()
  keepCompiled()
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort())
  // The supervisor holds the other end of the pipe: exit with it.
  process.stdin.resume().once('close', () => process.exit(1))
  const service = new Service(settings, stopping.signal)
  const mcp = new McpServers(settings, log)
  const agent: Agent = {
    settings,
    service,
    journal: await openJournal(new StateFolder(settings.volume, 'state')),
    transcript: await openTranscript(new StateFolder(settings.volume, 'memory')),
    summary: openSummary(new StateFolder(settings.volume, 'state')),
    tools: ownTools(settings),
    mcp,
    log,
  }
  try {
    await serve(agent, stopping.signal)
  } finally {
    await mcp.close()
  }
}

async function serve(agent: Agent, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const promptId = agent.journal.current?.promptId ?? (await nextPrompt(agent))
      if (promptId) await answerPrompt(agent, promptId)
    } catch (thrown) {
      if (thrown instanceof Stopped || (thrown instanceof ServiceError && thrown.status === 401)) throw thrown
      log('the turn was put off', { because: reason(thrown) })
      await agent.service.pause(30)
    }
  }
}

/** The next prompt's id, noted in the journal at once; null when none came within the wait. */
async function nextPrompt({ service, journal }: Agent): Promise<string | null> {
  const prompt = await service.nextPrompt()
  if (!prompt) return null
  if (!journal.answered(prompt.id)) await journal.setCurrent({ promptId: prompt.id, starts: 0, answer: null })
  return prompt.id
}

const reason = (thrown: unknown): string => (thrown instanceof ServiceError ? thrown.message : nameOf(thrown))

run().then(
  () => process.exit(0),
  (thrown: unknown) => {
    if (thrown instanceof Stopped) process.exit(0)
    log('the runtime ends', { because: reason(thrown) })
    process.exit(1)
  },
)

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Audience } from '../../domain/actor.ts'
import type { Feedback, SentObservation } from '../../domain/agent/observation.ts'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { MachineMessage } from '../../domain/socket/message.ts'
import { imageVariables } from '../image/environment.ts'
import { exits, type SupervisorSettings } from '../kit/environment.ts'
import { parseObject } from '../kit/json.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { Service } from '../kit/service.ts'
import { UsageMeter } from '../kit/usage.ts'
import { LauncherLink } from '../launcher/link.ts'
import { type Loopback, startLoopback } from '../loopback/loopback.ts'
import { SecretCalls } from '../secrets/calls.ts'
import { SecretStore } from '../secrets/store.ts'
import { emptyTrash } from '../volume/own-folder.ts'
import { prepareVolume, settleVolume } from '../volume/prepare.ts'
import { TurnJournal } from '../volume/turn-journal.ts'
import { ChatDrafts } from './chat-drafts.ts'
import { ConfigFiles, type Synced } from './config-files.ts'
import { GrowingReplies } from './growing-replies.ts'
import { Heartbeats } from './heartbeats.ts'
import { HeldPrompts } from './held-prompts.ts'
import { Inbox } from './inbox.ts'
import { OpenQuestions } from './open-questions.ts'
import { OutgoingFiles } from './outgoing-files.ts'
import { RuntimeProcess } from './runtime-process.ts'
import { RuntimeReports } from './runtime-reports.ts'
import { MachineSocket } from './socket.ts'
import { reasonOf, StartTrouble } from './start-trouble.ts'
import { makeTaskPoller } from './task-poller.ts'
import { Turns } from './turns.ts'

const tickMs = 15_000
/** Sent to the user in place of a reply that the service refuses. */
const undeliverable = 'I had an answer, but it could not be delivered. Please ask me again, perhaps for a shorter one.'
/** A shorter value of a variable is not masked. */
const leastSecret = 8

/**
 * Runs the machine until a stop signal or a refused token, then ends the process.
 * @returns a function that lets the current turn end, reports that, and exits 0
 */
export function startSupervisor(settings: SupervisorSettings, log: Log): () => void {
  const { volume } = settings
  const stopping = new AbortController()
  let loopback: Loopback | undefined
  let runtime: RuntimeProcess | undefined
  let model = settings.model
  /** As of this machine's start; a refresh updates them. */
  let variables: Record<string, string> | undefined

  function end(code: number, why: string): never {
    runtime?.kill()
    log(why, { code })
    process.exit(code)
  }

  const launcher = new LauncherLink(settings, (why) => {
    if (!stopping.signal.aborted) end(exits.failed, why)
    runtime?.lost()
  })
  const usage = new UsageMeter(settings, () => launcher.measure())
  const service = new Service(settings, () =>
    end(
      stopping.signal.aborted ? exits.drained : exits.superseded,
      'the service refused our token: this machine is superseded',
    ),
  )
  const modelCalls = () => loopback?.calls() ?? 0
  const configFiles = new ConfigFiles(service, volume)

  async function sync(): Promise<Synced> {
    const synced = await configFiles.sync()
    model = synced.model || model
    variables ??= synced.variables
    return synced
  }

  const held = new HeldPrompts()
  const inbox = new Inbox(volume)
  const journal = new TurnJournal(volume)
  const replies = new GrowingReplies({
    isConnected: () => socket.isConnected,
    send: (message) => socket.send(message),
    tell: async (observation) => (await service.observe(observation)).status,
  })
  const drafts = new ChatDrafts({
    textOf: (promptId) => replies.textOf(promptId),
    tell: (observation) => service.observe(observation),
  })
  const poller = makeTaskPoller({
    service,
    isTold: () => socket.isConnected,
    // Lazy import: most machines perform no task.
    perform: async (task, context) => (await import('../volume/jobs.ts')).performTask(service, task, context, log),
    taken(prompt, proof) {
      reports.begin(prompt)
      log('prompt handed out', { promptId: prompt.id, attempt: prompt.attempt, trace: prompt.trace })
      if (proof) turns.begin(prompt.id, proof, prompt.trace)
    },
    async place(prompt) {
      await quietly('looking at the volume', () => journal.begin(prompt.id))
      return inbox.place(prompt, () => held.progress(prompt.id))
    },
    closeStopped: (promptId) => quietly('closing a stopped prompt', () => closeStopped(promptId)),
    held,
    volume,
    journal,
    runtime: () => runtime,
    modelCalls,
    stopped: stopping.signal,
    log,
  })
  const reports = new RuntimeReports({
    held,
    replies,
    drafts,
    refused: (promptId) => void quietly('telling of a refused reply', () => closeRefused(promptId)),
    replied: () => void agentWorks(),
    closed(promptId) {
      turns.end(promptId)
      void quietly('looking at the volume', () => journal.end(promptId))
      poller.hint()
    },
    secrets: () => Object.values(variables ?? {}).filter((value) => value.length >= leastSecret),
  })
  const turns = new Turns({
    isHeld: (promptId) => held.has(promptId),
    context: (promptId) => service.call('agent', `/agent/context?prompt=${promptId}`),
    close: (promptId) => quietly('closing a stopped prompt', () => closeStopped(promptId)),
  })
  const questions = new OpenQuestions({
    find: (id) => service.call('agent', `/agent/question?id=${encodeURIComponent(id)}`),
    waiting: (promptId) => held.progress(promptId),
  })
  const socket = new MachineSocket({
    url: settings.socket,
    bearer: () => service.bearer('agent'),
    connected(renewed) {
      if (!renewed) poller.hint()
      replies.retell()
    },
    disconnected: poller.reconsider,
    message: (text) => hear(parseObject<MachineMessage>(text)),
    log,
  })
  const secrets = new SecretCalls(new SecretStore(service), log)
  const heartbeats = new Heartbeats({
    observe: (observation) => service.observe(observation),
    measure: () => usage.measure(),
    held,
    isBusy: () => modelCalls() > 0,
    stopped: (promptId) => turns.stop(promptId),
    socket,
    work: poller.hint,
    reportMs: settings.reportMs,
  })

  /** Unknown messages of a later service are ignored. */
  function hear(message: Partial<MachineMessage>): void {
    if (message.type === 'work') poller.hint()
    if (message.type === 'report') void quietly('report', () => heartbeats.reportNews())
    if (message.type === 'stop' && message.promptId) turns.stop(message.promptId)
    if (message.type === 'answered') questions.answered()
    if (message.type === 'missing' && message.to)
      replies.resend(message.to, message.promptId ?? null, message.from ?? 0)
  }

  async function boot(): Promise<void> {
    await quietly('settling the volume', () => settleVolume(volume))
    // Poll before the agent starts: the user may have to repair the volume.
    poller.start()
    await firstSync({
      sync,
      failed: agentFailed,
      log,
      stopped: stopping.signal,
    })
    if (stopping.signal.aborted) return
    loopback = await startLoopback({
      service,
      model: () => model,
      poll: poller.poll,
      inbox,
      outgoing: new OutgoingFiles(service, volume),
      reports,
      turns,
      questions,
      secrets,
      log,
    })
    const through = loopback
    // A task that began without a runtime must end without one.
    await poller.alone(() => startRuntime(through))
    setInterval(
      () => {
        void quietly('heartbeat', () => heartbeats.tick())
        service.due().forEach(renew)
      },
      Math.min(tickMs, settings.tokenMs / 20, settings.reportMs / 20),
    )
    await agentWorks()
    await quietly('emptying the trash', () => emptyTrash(volume))
  }

  const trouble = new StartTrouble({ observe: (observation) => service.observe(observation), answer: answerForAgent })
  const agentFailed = (reason: CannotStartReason) => quietly('answering for the agent', () => trouble.failed(reason))
  const agentWorks = () => quietly('ready', () => trouble.started())

  /** Answers waiting prompts while the agent cannot start. */
  async function answerForAgent(text: string): Promise<void> {
    for (;;) {
      const answer = await poller.poll(0, stopping.signal)
      const promptId = answer?.ok ? answer.body.prompt?.id : undefined
      if (!promptId) return
      await service.observe({ kind: 'reply', promptId, text })
      await close({ promptId, outcome: 'failed' })
    }
  }

  const startRuntime = async (through: Loopback): Promise<void> => {
    runtime = new RuntimeProcess({
      launcher,
      command: settings.runtime,
      environment: { ...variables, ...runtimeEnvironment(settings, through) },
      cwd: join(volume, 'workspace'),
      prepare: () => prepareVolume(volume),
      // A dead runtime's prompts are handed out again at once.
      crashed(reason) {
        held.release()
        void observe({ kind: 'crashed' })
          .then(poller.hint)
          .then(() => agentFailed(reason))
      },
      healthy: () => void agentWorks(),
      log,
    })
  }

  async function close(feedback: Feedback): Promise<void> {
    const report = { path: '/agent/feedback', promptId: feedback.promptId }
    reports.answered(report, (await service.call('agent', report.path, { body: feedback })).status)
  }

  const closeStopped = (promptId: string): Promise<void> => close({ promptId, outcome: 'stopped' })

  /** Closes a prompt whose reply is refused: the runtime would retry forever and answer nobody else. */
  async function closeRefused(promptId: string): Promise<void> {
    const { ok } = await service.observe({ kind: 'reply', promptId, text: undeliverable })
    // If the service refuses this reply too, the runtime's own may succeed later.
    if (!ok) return
    log('a reply was refused for good', { promptId })
    await close({ promptId, outcome: 'failed', note: 'The service refused the reply.' })
  }

  /** A cheap call for each audience, whose response brings a fresh token. */
  const cheapCalls: Record<Audience, () => Promise<unknown>> = {
    llm: () => service.call('llm', '/llm/proxy/v1/models'),
    files: sync,
    agent: () => heartbeats.report(),
  }
  const renew = (audience: Audience) => quietly(`renewal of ${audience}`, cheapCalls[audience])
  const observe = (observation: SentObservation) => quietly(observation.kind, () => service.observe(observation))

  /** Logs a failure; the call is made again later. */
  async function quietly(what: string, call: () => Promise<unknown>): Promise<void> {
    await call().catch((thrown: unknown) => log(`${what} failed`, { because: nameOf(thrown) }))
  }

  async function drain(): Promise<void> {
    if (stopping.signal.aborted) return
    log('draining')
    stopping.abort()
    await runtime?.stop(settings.stopMs)
    await observe({ kind: 'draining' })
    end(exits.drained, 'drained')
  }

  boot().catch((thrown: unknown) => {
    if (!stopping.signal.aborted) end(exits.failed, `the machine could not start: ${nameOf(thrown)}`)
  })
  return () => void drain()
}

interface FirstSync {
  sync: () => Promise<Synced>
  failed: (reason: CannotStartReason) => Promise<void>
  log: Log
  stopped: AbortSignal
}

/** The runtime needs complete files, so the first sync is retried until it succeeds. */
async function firstSync({ sync, failed, log, stopped }: FirstSync): Promise<void> {
  for (let waitMs = 500; !stopped.aborted; waitMs = Math.min(waitMs * 2, 30_000)) {
    const failure = await sync().then(
      ({ status, changed }) => (status === 200 ? log('files in place', { changed }) : `HTTP ${status}`),
      (thrown: unknown) => Object(thrown).code ?? nameOf(thrown),
    )
    if (!failure) return
    log('the files could not be fetched, trying again', { because: failure, waitMs })
    await failed(reasonOf(failure, 'configuration'))
    await sleep(waitMs, undefined, { signal: stopped }).catch(() => {})
  }
}

/** The runtime's complete environment; nothing else of the supervisor's reaches it. */
const runtimeEnvironment = (settings: SupervisorSettings, { address, key }: Loopback): Record<string, string> => ({
  BERTH_LOOPBACK: address,
  BERTH_LOOPBACK_KEY: key,
  BERTH_MODEL: settings.model,
  BERTH_VOLUME: settings.volume,
  OPENAI_BASE_URL: `${address}/llm/proxy/v1`,
  OPENAI_API_KEY: key,
  ANTHROPIC_BASE_URL: `${address}/llm/proxy`,
  ANTHROPIC_API_KEY: key,
  HOME: join(settings.volume, 'home'),
  PATH: settings.path,
  ...(settings.backoffScale && { BERTH_BACKOFF_SCALE: settings.backoffScale }),
  ...(settings.container && { BERTH_CONTAINER: '1', ...imageVariables(settings.volume, settings.path) }),
})

import { join } from 'node:path'
import type { Audience } from '../../domain/actor.ts'
import type { SentObservation } from '../../domain/agent/observation.ts'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { MachineMessage } from '../../domain/socket/message.ts'
import { imageVariables } from '../image/environment.ts'
import { exits, type SupervisorSettings } from '../kit/environment.ts'
import { parseObject } from '../kit/json.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { Service } from '../kit/service.ts'
import { LauncherLink } from '../launcher/link.ts'
import { type Loopback, startLoopback } from '../loopback/loopback.ts'
import { SecretCalls } from '../secrets/calls.ts'
import { SecretStore } from '../secrets/store.ts'
import { emptyTrash } from '../volume/own-folder.ts'
import { prepareVolume, settleVolume } from '../volume/prepare.ts'
import { TurnJournal } from '../volume/turn-journal.ts'
import { UsageMeter } from '../volume/usage-meter.ts'
import { ChatDrafts } from './chat-drafts.ts'
import { Configuration } from './configuration.ts'
import { GrowingReplies } from './growing-replies.ts'
import { Heartbeats } from './heartbeats.ts'
import { HeldPrompts } from './held-prompts.ts'
import { Inbox } from './inbox.ts'
import { OpenQuestions } from './open-questions.ts'
import { OutgoingFiles } from './outgoing-files.ts'
import { PromptEndings } from './prompt-endings.ts'
import { RuntimeProcess } from './runtime-process.ts'
import { RuntimeReports } from './runtime-reports.ts'
import { MachineSocket } from './socket.ts'
import { StartTrouble } from './start-trouble.ts'
import { TaskPoller } from './task-poller.ts'
import { Turns } from './turns.ts'

const tickMs = 15_000
/** A shorter value of a variable is not masked. */
const leastSecret = 8

/**
 * Runs the machine until a stop signal or a refused token, then ends the process.
 * @returns a function that lets the current turn end, reports that, and exits 0
 */
export function startSupervisor(settings: SupervisorSettings, log: Log): () => void {
  const supervisor = new Supervisor(settings, log)
  void supervisor.run()
  return () => void supervisor.drain()
}

class Supervisor {
  readonly #settings: SupervisorSettings
  readonly #log: Log
  readonly #stopping = new AbortController()
  readonly #held = new HeldPrompts()
  readonly #service: Service
  readonly #launcher: LauncherLink
  readonly #usage: UsageMeter
  readonly #configuration: Configuration
  readonly #inbox: Inbox
  readonly #journal: TurnJournal
  readonly #replies: GrowingReplies
  readonly #drafts: ChatDrafts
  readonly #reports: RuntimeReports
  readonly #endings: PromptEndings
  readonly #turns: Turns
  readonly #poller: TaskPoller
  readonly #questions: OpenQuestions
  readonly #socket: MachineSocket
  readonly #heartbeats: Heartbeats
  readonly #trouble: StartTrouble
  #loopback: Loopback | undefined
  #runtime: RuntimeProcess | undefined

  constructor(settings: SupervisorSettings, log: Log) {
    this.#settings = settings
    this.#log = log
    this.#launcher = new LauncherLink(settings, (why) => this.#launcherLost(why))
    this.#usage = new UsageMeter(settings, () => this.#launcher.measure())
    this.#service = new Service(settings, () => this.#superseded())
    this.#configuration = new Configuration(this.#service, settings)
    this.#inbox = new Inbox(settings.volume)
    this.#journal = new TurnJournal(settings.volume)
    this.#replies = this.#makeReplies()
    this.#drafts = new ChatDrafts({
      textOf: (promptId) => this.#replies.textOf(promptId),
      tell: (observation) => this.#service.observe(observation),
    })
    this.#reports = this.#makeReports()
    this.#endings = new PromptEndings(this.#service, this.#reports, log)
    this.#turns = this.#makeTurns()
    this.#poller = this.#makePoller()
    this.#questions = new OpenQuestions({
      find: (id) => this.#service.call('agent', `/agent/question?id=${encodeURIComponent(id)}`),
      waiting: (promptId) => this.#held.progress(promptId),
    })
    this.#socket = this.#openSocket()
    this.#heartbeats = this.#makeHeartbeats()
    this.#trouble = new StartTrouble({
      observe: (observation) => this.#service.observe(observation),
      answer: (text) => this.#endings.answerAll(text, this.#poller, this.#stopping.signal),
    })
  }

  async run(): Promise<void> {
    try {
      await this.#boot()
    } catch (thrown) {
      if (!this.#stopping.signal.aborted) this.#end(exits.failed, `the machine could not start: ${nameOf(thrown)}`)
    }
  }

  async #boot(): Promise<void> {
    const { volume } = this.#settings
    await this.#quietly('settling the volume', () => settleVolume(volume))
    // Poll before the agent starts: the user may have to repair the volume.
    this.#poller.start()
    const stopped = this.#stopping.signal
    await this.#configuration.firstSync({ failed: (reason) => this.#agentFailed(reason), log: this.#log, stopped })
    if (stopped.aborted) return
    const loopback = await this.#startLoopback()
    this.#loopback = loopback
    // A task that began without a runtime must end without one.
    await this.#poller.alone(async () => {
      this.#runtime = this.#startRuntime(loopback)
    })
    this.#tick()
    await this.#agentWorks()
    await this.#quietly('emptying the trash', () => emptyTrash(volume))
  }

  #tick(): void {
    const { tokenMs, reportMs } = this.#settings
    const tick = () => {
      void this.#quietly('heartbeat', () => this.#heartbeats.tick())
      for (const audience of this.#service.due()) void this.#renew(audience)
    }
    setInterval(tick, Math.min(tickMs, tokenMs / 20, reportMs / 20))
  }

  /** Lets the current turn end, reports that, and exits 0. */
  async drain(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#log('draining')
    this.#stopping.abort()
    await this.#runtime?.stop(this.#settings.stopMs)
    await this.#observe({ kind: 'draining' })
    this.#end(exits.drained, 'drained')
  }

  #end(code: number, why: string): never {
    this.#runtime?.kill()
    this.#log(why, { code })
    process.exit(code)
  }

  #superseded(): never {
    const code = this.#stopping.signal.aborted ? exits.drained : exits.superseded
    this.#end(code, 'the service refused our token: this machine is superseded')
  }

  #launcherLost(why: string): void {
    if (!this.#stopping.signal.aborted) this.#end(exits.failed, why)
    this.#runtime?.lost()
  }

  #makeReplies(): GrowingReplies {
    return new GrowingReplies({
      isConnected: () => this.#socket.isConnected,
      send: (message) => this.#socket.send(message),
      tell: async (observation) => (await this.#service.observe(observation)).status,
    })
  }

  #makeReports(): RuntimeReports {
    return new RuntimeReports({
      held: this.#held,
      replies: this.#replies,
      drafts: this.#drafts,
      refused: (promptId) =>
        void this.#quietly('telling of a refused reply', () => this.#endings.closeRefused(promptId)),
      replied: () => void this.#agentWorks(),
      closed: (promptId) => {
        this.#turns.end(promptId)
        void this.#quietly('looking at the volume', () => this.#journal.end(promptId))
        this.#poller.hint()
      },
      secrets: () => Object.values(this.#configuration.variables ?? {}).filter((value) => value.length >= leastSecret),
    })
  }

  #makeTurns(): Turns {
    return new Turns({
      isHeld: (promptId) => this.#held.has(promptId),
      context: (promptId) => this.#service.call('agent', `/agent/context?prompt=${promptId}`),
      close: (promptId) => this.#closeStopped(promptId),
    })
  }

  #makePoller(): TaskPoller {
    return new TaskPoller({
      service: this.#service,
      isTold: () => this.#socket.isConnected,
      // Lazy import: most machines perform no task.
      perform: async (task, context) =>
        (await import('../volume/jobs.ts')).performTask(this.#service, task, context, this.#log),
      taken: (prompt, proof) => {
        this.#reports.begin(prompt)
        this.#log('prompt handed out', { promptId: prompt.id, attempt: prompt.attempt, trace: prompt.trace })
        if (proof) this.#turns.begin(prompt.id, proof, prompt.trace)
      },
      place: async (prompt) => {
        await this.#quietly('looking at the volume', () => this.#journal.begin(prompt.id))
        return this.#inbox.place(prompt, () => this.#held.progress(prompt.id))
      },
      closeStopped: (promptId) => this.#closeStopped(promptId),
      held: this.#held,
      volume: this.#settings.volume,
      journal: this.#journal,
      runtime: () => this.#runtime,
      modelCalls: () => this.#modelCalls(),
      stopped: this.#stopping.signal,
      log: this.#log,
    })
  }

  #openSocket(): MachineSocket {
    return new MachineSocket({
      url: this.#settings.socket,
      bearer: () => this.#service.bearer('agent'),
      connected: (renewed) => {
        if (!renewed) this.#poller.hint()
        this.#replies.retell()
      },
      disconnected: () => this.#poller.reconsider(),
      message: (text) => this.#hear(parseObject<MachineMessage>(text)),
      log: this.#log,
    })
  }

  /** Unknown messages of a later service are ignored. */
  #hear(message: Partial<MachineMessage>): void {
    if (message.type === 'work') this.#poller.hint()
    if (message.type === 'report') void this.#quietly('report', () => this.#heartbeats.reportNews())
    if (message.type === 'stop' && message.promptId) this.#turns.stop(message.promptId)
    if (message.type === 'answered') this.#questions.answered()
    if (message.type === 'missing' && message.to)
      this.#replies.resend(message.to, message.promptId ?? null, message.from ?? 0)
  }

  #makeHeartbeats(): Heartbeats {
    return new Heartbeats({
      observe: (observation) => this.#service.observe(observation),
      measure: () => this.#usage.measure(),
      held: this.#held,
      isBusy: () => this.#modelCalls() > 0,
      stopped: (promptId) => this.#turns.stop(promptId),
      socket: this.#socket,
      work: () => this.#poller.hint(),
      reportMs: this.#settings.reportMs,
    })
  }

  #startLoopback(): Promise<Loopback> {
    return startLoopback({
      service: this.#service,
      model: () => this.#configuration.model,
      poll: (waitSeconds, left) => this.#poller.poll(waitSeconds, left),
      inbox: this.#inbox,
      outgoing: new OutgoingFiles(this.#service, this.#settings.volume),
      reports: this.#reports,
      turns: this.#turns,
      questions: this.#questions,
      secrets: new SecretCalls(new SecretStore(this.#service), this.#log),
      log: this.#log,
    })
  }

  #startRuntime(loopback: Loopback): RuntimeProcess {
    const { runtime, volume } = this.#settings
    return new RuntimeProcess({
      launcher: this.#launcher,
      command: runtime,
      environment: { ...this.#configuration.variables, ...runtimeEnvironment(this.#settings, loopback) },
      cwd: join(volume, 'workspace'),
      prepare: () => prepareVolume(volume),
      crashed: (reason) => void this.#runtimeCrashed(reason),
      healthy: () => void this.#agentWorks(),
      log: this.#log,
    })
  }

  /** A dead runtime's prompts are handed out again at once. */
  async #runtimeCrashed(reason: CannotStartReason): Promise<void> {
    this.#held.release()
    await this.#observe({ kind: 'crashed' })
    this.#poller.hint()
    await this.#agentFailed(reason)
  }

  #modelCalls(): number {
    return this.#loopback?.calls() ?? 0
  }

  #agentFailed(reason: CannotStartReason): Promise<void> {
    return this.#quietly('answering for the agent', () => this.#trouble.failed(reason))
  }

  #agentWorks(): Promise<void> {
    return this.#quietly('ready', () => this.#trouble.started())
  }

  #closeStopped(promptId: string): Promise<void> {
    return this.#quietly('closing a stopped prompt', () => this.#endings.closeStopped(promptId))
  }

  #observe(observation: SentObservation): Promise<void> {
    return this.#quietly(observation.kind, () => this.#service.observe(observation))
  }

  /** Makes a cheap call of the audience, whose response brings a fresh token. */
  #renew(audience: Audience): Promise<void> {
    const cheapCalls: Record<Audience, () => Promise<unknown>> = {
      llm: () => this.#service.call('llm', '/llm/proxy/v1/models'),
      files: () => this.#configuration.sync(),
      agent: () => this.#heartbeats.report(),
    }
    return this.#quietly(`renewal of ${audience}`, cheapCalls[audience])
  }

  /** Logs a failure; the call is made again later. */
  async #quietly(what: string, call: () => Promise<unknown>): Promise<void> {
    await call().catch((thrown: unknown) => this.#log(`${what} failed`, { because: nameOf(thrown) }))
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

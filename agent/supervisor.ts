import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Audience } from '../domain/actor.ts'
import type { Observation } from '../domain/agent/observation.ts'
import { type Synced, syncFiles } from './config-files.ts'
import { exits, type SupervisorSettings } from './environment.ts'
import { type Log, nameOf } from './log.ts'
import { type Loopback, startLoopback } from './loopback.ts'
import { RuntimeProcess } from './runtime-process.ts'
import { Service } from './service.ts'
import { startTaskPoller } from './task-poller.ts'
import { UsageMeter } from './usage.ts'

const heartbeatMs = 60_000
const folders = ['config', 'home', 'memory', 'state', 'workspace']

/**
 * Runs the machine until it is told to stop or its tokens are refused; ends the process. @returns what lets the current
 * turn end, says so, and exits 0
 */
export function startSupervisor(settings: SupervisorSettings, log: Log): () => void {
  const { volume } = settings
  const stopping = new AbortController()
  const usage = new UsageMeter(volume, settings.container)
  let loopback: Loopback | undefined
  let runtime: RuntimeProcess | undefined
  let model = settings.model
  /** As they were when this machine started; a refresh brings later ones. */
  let variables: Record<string, string> | undefined

  function end(code: number, why: string): never {
    runtime?.kill()
    log(why, { code })
    process.exit(code)
  }

  const service = new Service(settings, () =>
    end(
      stopping.signal.aborted ? exits.drained : exits.superseded,
      'the service refused our token: this machine is superseded',
    ),
  )
  const modelCalls = () => loopback?.calls() ?? 0

  async function sync(): Promise<Synced> {
    const synced = await syncFiles(service, join(volume, 'config'), variables === undefined)
    model = synced.model || model
    variables ??= synced.variables
    return synced
  }

  async function boot(): Promise<void> {
    for (const name of folders) await mkdir(join(volume, name), { recursive: true, mode: 0o700 })
    await firstSync(sync, log, stopping.signal)
    if (stopping.signal.aborted) return
    const stopped = stopping.signal
    const poll = startTaskPoller({ service, volume, runtime: () => runtime, modelCalls, stopped, log })
    loopback = await startLoopback({ service, model: () => model, poll, log })
    runtime = new RuntimeProcess({
      command: settings.runtime,
      environment: { ...variables, ...runtimeEnvironment(settings, loopback) },
      cwd: join(volume, 'workspace'),
      // What the dead runtime held is handed out again at once.
      crashed: () => void observe({ kind: 'crashed' }),
      log,
    })
    setInterval(() => void renew('agent'), heartbeatMs)
    // The service knows whether a restore point is due; a machine only reminds it. Many sleep again within the hour.
    setTimeout(() => void observe({ kind: 'restore-point' }), settings.restorePointMs / 10)
    setInterval(() => void observe({ kind: 'restore-point' }), settings.restorePointMs)
    setInterval(() => service.due().forEach(renew), Math.min(15_000, settings.tokenMs / 20))
    await observe({ kind: 'ready' })
  }

  /** A cheap call of each audience, whose response brings a fresh token. */
  const cheapCalls: Record<Audience, () => Promise<unknown>> = {
    llm: () => service.call('llm', '/llm/proxy/v1/models'),
    files: sync,
    agent: async () => service.observe({ kind: 'heartbeat', busy: modelCalls() > 0, measured: await usage.measure() }),
  }
  const renew = (audience: Audience) => quietly(`renewal of ${audience}`, cheapCalls[audience])
  const observe = (observation: Observation) => quietly(observation.kind, () => service.observe(observation))

  /** A call whose failure only the log needs to know: it is made again later. */
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

/** The runtime starts on complete files, so the first sync is tried until it succeeds. */
async function firstSync(sync: () => Promise<Synced>, log: Log, stopped: AbortSignal): Promise<void> {
  for (let waitMs = 500; !stopped.aborted; waitMs = Math.min(waitMs * 2, 30_000)) {
    const failure = await sync().then(
      ({ status, changed }) => (status === 200 ? log('files in place', { changed }) : `HTTP ${status}`),
      (thrown: unknown) => nameOf(thrown),
    )
    if (!failure) return
    log('the files could not be fetched, trying again', { because: failure, waitMs })
    await sleep(waitMs, undefined, { signal: stopped }).catch(() => {})
  }
}

/** Everything the runtime gets; nothing else of the supervisor's environment reaches it. */
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
  ...(settings.container && { BERTH_CONTAINER: '1' }),
  ...(settings.compileCache && { NODE_COMPILE_CACHE: settings.compileCache }),
})

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Synced, syncFiles } from './config-files.ts'
import { type Desk, openDesk } from './desk.ts'
import type { Audience, SupervisorSettings } from './environment.ts'
import { type Log, nameOf } from './log.ts'
import { type Loopback, startLoopback } from './loopback.ts'
import { makeMeter } from './meter.ts'
import { keepRuntime, type RuntimeProcess } from './runtime-process.ts'
import { makeService } from './service.ts'
import { Tokens } from './tokens.ts'

/** Exit codes of the supervisor. */
export const exits = { drained: 0, failed: 1, superseded: 3 } as const

const heartbeatMs = 60_000
const folders = ['config', 'home', 'memory', 'state', 'workspace']

export interface Supervisor {
  /** Lets the current turn end, says so, and exits 0. */
  drain(): void
}

/** Runs the machine until it is told to stop or its tokens are refused; ends by `exit`. */
export function startSupervisor(settings: SupervisorSettings, log: Log, exit: (code: number) => void): Supervisor {
  const tokens = new Tokens(settings.tokens, settings.tokenMs, Date.now())
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  let loopback: Loopback | undefined
  let runtime: RuntimeProcess | undefined
  let desk: Desk | undefined
  let model = settings.model
  /** As they were when this machine started; a refresh brings later ones. */
  let variables: Record<string, string> | null = null
  let over = false

  function end(code: number, why: string): void {
    if (over) return
    over = true
    for (const timer of timers) clearInterval(timer)
    stopping.abort()
    runtime?.kill()
    desk?.close()
    loopback?.close()
    log(why, { code })
    exit(code)
  }

  const superseded = () =>
    end(
      stopping.signal.aborted ? exits.drained : exits.superseded,
      'the service refused our token: this machine is superseded',
    )
  const service = makeService(settings.api, tokens, superseded)

  async function sync(): Promise<Synced> {
    const synced = await syncFiles(service, join(settings.volume, 'config'), variables === null)
    if (synced.model) model = synced.model
    variables ??= synced.variables
    return synced
  }

  async function boot(): Promise<void> {
    for (const name of folders) await mkdir(join(settings.volume, name), { recursive: true, mode: 0o700 })
    await firstSync(sync, log, stopping.signal)
    if (stopping.signal.aborted) return
    const opened = openDesk({
      service,
      volume: settings.volume,
      runtime: () => runtime,
      calls: () => loopback?.calls() ?? 0,
      log,
    })
    desk = opened
    loopback = await startLoopback({ api: settings.api, tokens, service, model: () => model, poll: opened.poll, log })
    const environment = { ...variables, ...runtimeEnvironment(settings, loopback) }
    runtime = keepRuntime(settings.runtime, environment, join(settings.volume, 'workspace'), log, crashed)
    timers.push(setInterval(() => void renew('agent'), heartbeatMs))
    // Many machines sleep again within the hour.
    timers.push(setTimeout(() => void daily(), settings.pointMs / 10))
    timers.push(setInterval(() => void daily(), settings.pointMs))
    timers.push(setInterval(() => tokens.due(Date.now()).forEach(renew), Math.min(15_000, settings.tokenMs / 20)))
    await quietly('ready', () => service.call('agent', '/agent/observe', { body: { kind: 'ready' } }))
  }

  const cheapCalls: Record<Audience, () => Promise<unknown>> = {
    llm: () => service.call('llm', '/llm/proxy/v1/models'),
    files: sync,
    agent: async () => {
      const busy = (loopback?.calls() ?? 0) > 0
      const measured = await meter()
      return service.call('agent', '/agent/observe', { body: { kind: 'heartbeat', busy, measured } })
    },
  }
  const renew = (audience: Audience) => quietly(`renewal of ${audience}`, cheapCalls[audience])

  /** A call whose failure only the log needs to know: it is made again later. */
  async function quietly(what: string, call: () => Promise<unknown>): Promise<void> {
    await call().catch((thrown: unknown) => log(`${what} failed`, { because: nameOf(thrown) }))
  }

  const meter = makeMeter(settings.volume, settings.container)
  /** What the dead runtime held is handed out again at once. */
  const crashed = () =>
    void quietly('crashed', () => service.call('agent', '/agent/observe', { body: { kind: 'crashed' } }))
  /** The service knows whether a restore point is due; a machine only reminds it. */
  const daily = () => quietly('point', () => service.call('agent', '/agent/observe', { body: { kind: 'point' } }))

  async function drain(): Promise<void> {
    log('draining')
    stopping.abort()
    desk?.close()
    await runtime?.stop(settings.stopMs)
    await quietly('draining', () => service.call('agent', '/agent/observe', { body: { kind: 'draining' } }))
    end(exits.drained, 'drained')
  }

  boot().catch((thrown: unknown) => {
    if (!stopping.signal.aborted) end(exits.failed, `the machine could not start: ${nameOf(thrown)}`)
  })
  return {
    drain: () => {
      if (!stopping.signal.aborted) void drain()
    },
  }
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

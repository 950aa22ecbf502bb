import { setTimeout as sleep } from 'node:timers/promises'
import type { SupervisorSettings } from './environment.ts'
import type { Hands } from './errands.ts'
import { type Log, nameOf } from './log.ts'
import { measureOnce } from './meter.ts'
import { makeService, type Service } from './service.ts'
import { asObject, asText } from './shapes.ts'
import { exits, type Supervisor } from './supervisor.ts'
import { performTask, reported, taskIn } from './task.ts'
import { Tokens } from './tokens.ts'
import { emptyVolume } from './volume/empty.ts'
import { storeOf } from './volume/store.ts'

/** Longest wait of one poll, seconds: a stop is not noticed by the service before its end. */
const pollSeconds = 10

/**
 * A machine without the agent. A keeper does what is asked of the files of an instance that sleeps, lingers a while for
 * more, and ends; an eraser empties the volume of an instance that is deleted. Told to stop, a keeper ends its task in
 * hand if that is quick enough; what it leaves is handed to the next machine.
 */
export function startKeeper(settings: SupervisorSettings, log: Log, exit: (code: number) => void): Supervisor {
  const stopping = new AbortController()
  let over = false
  const end = (code: number, why: string) => {
    if (over) return
    over = true
    log(why, { code })
    exit(code)
  }
  const superseded = () => end(exits.superseded, 'the service refused our token: this machine is superseded')
  const service = makeService(settings.api, new Tokens(settings.tokens, settings.tokenMs, Date.now()), superseded)
  const work = settings.role === 'eraser' ? erase(settings, service) : keep(settings, service, log, stopping.signal)
  work.then(
    () => end(exits.drained, `the ${settings.role} is done`),
    (thrown: unknown) => end(exits.failed, `the ${settings.role} failed: ${nameOf(thrown)}`),
  )
  return {
    drain() {
      stopping.abort()
      const graceMs = settings.role === 'eraser' ? 0 : settings.stopMs
      setTimeout(() => end(exits.drained, 'stopped before it was done'), graceMs).unref()
    },
  }
}

async function erase({ volume }: SupervisorSettings, service: Service): Promise<void> {
  await emptyVolume(volume)
  await reported(() => service.call('agent', '/agent/observe', { body: { kind: 'emptied' } }))
}

async function keep(
  { volume, lingerMs }: SupervisorSettings,
  service: Service,
  log: Log,
  stopped: AbortSignal,
): Promise<void> {
  // Nobody is at work on the volume but this.
  const hands = (taskId: string): Hands => ({
    volume,
    store: storeOf(service, taskId),
    idle: () => true,
    still: (run) => run(),
    stopped: (run) => run(),
  })
  let changed = false
  for (let until = Date.now() + lingerMs; Date.now() < until && !stopped.aborted; ) {
    const task = await nextTask(service, Math.min(pollSeconds, Math.ceil((until - Date.now()) / 1000)), stopped)
    if (!task) continue
    await performTask(service, task, hands, log)
    changed ||= asText(asObject(task.errand).kind) === 'restore'
    until = Date.now() + lingerMs
  }
  if (!changed) return
  const measured = await measureOnce(volume)
  await service.call('agent', '/agent/observe', { body: { kind: 'heartbeat', busy: false, measured } })
}

/** The next task; null when none came, or the service could not be asked. */
async function nextTask(service: Service, wait: number, stopped: AbortSignal): Promise<Record<string, unknown> | null> {
  const target = `/agent/prompt?wait=${wait}&tasks=only`
  const answer = await service.call('agent', target, { signal: stopped }).catch(() => null)
  if (answer?.status !== 200) await sleep(1_000, undefined, { signal: stopped }).catch(() => {})
  return answer && taskIn(answer)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Task } from '../../domain/agent/task.ts'
import { exits, type SupervisorSettings } from '../kit/environment.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { Service } from '../kit/service.ts'
import { eraseVolume } from './erase.ts'
import { changingJobs, type JobContext, performTask, untilHeard } from './jobs.ts'
import { settleVolume } from './prepare.ts'
import { TurnJournal } from './turn-journal.ts'
import { UsageMeter } from './usage-meter.ts'

/** Maximum wait of a poll, seconds: the service notices a stop only after it. */
const pollSeconds = 10

/**
 * A machine without the agent: a worker performs a sleeping instance's tasks, lingers and ends; an eraser empties the
 * volume of a deleted instance. @returns a function that stops it; the next machine gets an unfinished task
 */
export function startVolumeWorker(settings: SupervisorSettings, log: Log): () => void {
  const erases = settings.role === 'volume-eraser'
  const stopping = new AbortController()
  function end(code: number, why: string): never {
    log(why, { code })
    process.exit(code)
  }
  const service = new Service(settings, () =>
    end(exits.superseded, 'the service refused our token: this machine is superseded'),
  )
  const work = erases ? erase(settings, service) : workOff(settings, service, log, stopping.signal)
  work.then(
    () => end(exits.drained, `the ${settings.role} is done`),
    (thrown: unknown) => end(exits.failed, `the ${settings.role} failed: ${nameOf(thrown)}`),
  )
  return () => {
    stopping.abort()
    setTimeout(() => end(exits.drained, 'stopped before it was done'), erases ? 0 : settings.stopMs).unref()
  }
}

async function erase({ volume }: SupervisorSettings, service: Service): Promise<void> {
  await eraseVolume(volume)
  await untilHeard(() => service.observe({ kind: 'volume-erased' }))
}

async function workOff(settings: SupervisorSettings, service: Service, log: Log, stopped: AbortSignal): Promise<void> {
  const { volume, lingerMs } = settings
  await settleVolume(volume)
  // No agent works on the volume.
  const context: JobContext = {
    volume,
    idle: () => true,
    whileHeld: (run) => run(),
    whileStopped: (run) => run(),
    still: (run) => run(),
    journal: new TurnJournal(volume),
  }
  let changed = false
  for (let until = Date.now() + lingerMs; Date.now() < until && !stopped.aborted; ) {
    const task = await nextTask(service, Math.min(pollSeconds, Math.ceil((until - Date.now()) / 1000)), stopped)
    if (!task) continue
    await performTask(service, task, context, log)
    changed ||= changingJobs.has(task.job.kind)
    until = Date.now() + lingerMs
  }
  if (!changed) return
  const usage = new UsageMeter(settings)
  await usage.measureDisk()
  await service.observe({ kind: 'heartbeat', busy: false, measured: await usage.measure() })
}

/** The next task; null when none came, or the service could not be asked. */
async function nextTask(service: Service, waitSeconds: number, stopped: AbortSignal): Promise<Task | null> {
  const answer = await service.poll(waitSeconds, 'only', stopped).catch(() => null)
  if (answer?.ok) return answer.body.task
  await sleep(1_000, undefined, { signal: stopped }).catch(() => {})
  return null
}

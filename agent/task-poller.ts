import { setTimeout as sleep } from 'node:timers/promises'
import type { PolledWork, Task } from '../domain/agent/task.ts'
import { type Log, nameOf } from './log.ts'
import type { RuntimeProcess } from './runtime-process.ts'
import type { Answer, Service } from './service.ts'
import type { JobContext } from './volume-jobs.ts'

/** Longest wait of a poll for tasks alone, seconds. */
const taskWaitSeconds = 10
/** A prompt is kept for the next runtime this long: less than its lease. */
const keptMs = 60_000
/** A runtime that is busy for longer than this is held still in the middle of its turn. */
const patienceMs = 5 * 60_000

/** What the runtime's poll is answered; tasks are not for it. */
export type PromptAnswer = Answer<Pick<PolledWork, 'prompt'>>

/** The runtime's poll. Undefined when `left` was raised meanwhile. */
export type Poll = (waitSeconds: number, left: AbortSignal) => Promise<PromptAnswer | undefined>

interface PollerOptions {
  service: Service
  volume: string
  runtime: () => RuntimeProcess | undefined
  /** How many are under way. */
  modelCalls: () => number
  stopped: AbortSignal
  log: Log
}

/**
 * Polls for prompts and tasks. The runtime's own poll brings either, and tasks are done here; while the runtime does not
 * poll, it is at work or not there, and tasks alone are asked for. The service does not see a poll being given up and may
 * still hand something out to it, so each is followed to its end, whoever has gone meanwhile.
 */
export function startTaskPoller({ service, volume, runtime, modelCalls, stopped, log }: PollerOptions): Poll {
  let polls = 0
  let working: Promise<void> | undefined
  /** A prompt that came for a runtime that is gone. */
  let unclaimed: { answer: PromptAnswer; atMs: number } | undefined

  // A runtime that polls is between two turns.
  const idle = () => polls > 0 && modelCalls() === 0

  const context: JobContext = {
    volume,
    idle,
    async whileHeld(run) {
      for (const until = Date.now() + patienceMs; !idle() && Date.now() < until && !stopped.aborted; ) await sleep(100)
      return runtime()?.whileHeld(run) ?? run()
    },
    whileStopped: (run) => runtime()?.whileStopped(run) ?? run(),
  }

  /** Does a task to its end; a second one waits for the first. */
  async function work(task: Task): Promise<void> {
    while (working) await working
    // Loaded when it is needed: most machines never do one.
    working = import('./volume-jobs.ts')
      .then(({ performTask }) => performTask(service, task, context, log))
      .catch((thrown: unknown) => log('a task was left', { because: nameOf(thrown) }))
      .finally(() => {
        working = undefined
      })
    await working
  }

  async function pollForTasks(): Promise<void> {
    while (!stopped.aborted) {
      if (polls > 0 || working) {
        await sleep(50)
        continue
      }
      const answer = await service.poll(taskWaitSeconds, 'only', stopped).catch(() => undefined)
      if (!answer?.ok) await sleep(5_000, undefined, { signal: stopped }).catch(() => {})
      else if (answer.body.task) await work(answer.body.task)
    }
  }

  function claim(): PromptAnswer | undefined {
    const kept = unclaimed && Date.now() - unclaimed.atMs < keptMs ? unclaimed.answer : undefined
    unclaimed = undefined
    return kept
  }

  const poll: Poll = async (waitSeconds, left) => {
    for (const untilMs = Date.now() + waitSeconds * 1000; ; ) {
      await working
      const kept = claim()
      if (kept) return kept
      if (left.aborted) return undefined
      const answer = await service.poll(Math.max(0, Math.round((untilMs - Date.now()) / 1000)), 'too', stopped)
      if (!answer.ok) return answer
      const { prompt, task } = answer.body
      if (task) await work(task)
      if (task && Date.now() < untilMs) continue
      const shown = { ...answer, body: { prompt } }
      if (prompt && left.aborted) unclaimed = { answer: shown, atMs: Date.now() }
      return shown
    }
  }

  void pollForTasks()
  return async (waitSeconds, left) => {
    polls++
    try {
      return await poll(waitSeconds, left)
    } finally {
      polls--
    }
  }
}

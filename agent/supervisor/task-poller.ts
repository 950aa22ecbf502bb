import type { PolledWork, Task } from '../../domain/agent/task.ts'
import { taskLeaseMs } from '../kit/limits.ts'
import { type Log, nameOf } from '../kit/log.ts'
import type { Answer, Service } from '../kit/service.ts'
import { waitFor } from '../kit/wait-for.ts'
import type { JobContext } from '../volume/jobs.ts'
import type { TurnJournal } from '../volume/turn-journal.ts'
import type { HeldPrompts } from './held-prompts.ts'
import type { RuntimePrompt } from './inbox.ts'
import type { RuntimeProcess } from './runtime-process.ts'

/** Maximum wait of a poll only for tasks, seconds. */
const taskWaitSeconds = 10
/** A prompt is kept this long for the next runtime: less than its lease. */
const keptMs = 60_000
/** A runtime that stays busy for longer is paused in the middle of its turn. */
const patienceMs = 5 * 60_000
/** A runtime that polls again within this time is not at work. */
const betweenPollsMs = 50

export type PromptAnswer = Answer<{ prompt: RuntimePrompt | null }>

/** The runtime's poll; undefined when `left` was raised meanwhile. */
export type Poll = (waitSeconds: number, left: AbortSignal) => Promise<PromptAnswer | undefined>

export interface TaskPoller {
  poll: Poll
  start(): void
  /** Runs `run`, which does not throw, while no task is under way. */
  alone(run: () => Promise<void>): Promise<void>
  /** Work may be waiting: ask the service. */
  hint(): void
  /** The socket connected or disconnected. */
  reconsider(): void
}

interface PollerOptions {
  service: Pick<Service, 'poll'>
  /** Whether the service announces work; otherwise long polls ask for it. */
  isTold(): boolean
  perform(task: Task, context: JobContext): Promise<void>
  taken(prompt: NonNullable<PolledWork['prompt']>, proof: string | null): void
  /** Fetches a prompt's attachments. */
  place(prompt: NonNullable<PolledWork['prompt']>): Promise<RuntimePrompt>
  /** Closes a prompt that was stopped before the runtime had it. */
  closeStopped(promptId: string): Promise<void>
  held: HeldPrompts
  volume: string
  journal: TurnJournal
  runtime: () => Pick<RuntimeProcess, 'whileHeld' | 'whileStopped'> | undefined
  modelCalls: () => number
  stopped: AbortSignal
  log: Log
}

/**
 * Asks for prompts and tasks when there is a reason, or by long polls. The runtime's poll brings both; without one,
 * only tasks are requested. The service may hand out work to an abandoned poll, so each is followed to its end.
 */
export function makeTaskPoller(options: PollerOptions): TaskPoller {
  const { service, isTold, perform, taken, place, closeStopped, held, volume, journal } = options
  const { runtime, modelCalls, stopped, log } = options
  let polls = 0
  let working: Promise<void> | undefined
  /** A prompt for a runtime that is gone. */
  let unclaimed: { answer: PromptAnswer; atMs: number } | undefined
  /** Whether the service may have work that was not requested yet. */
  const mayWait = { prompts: true, tasks: true }
  let change = Promise.withResolvers<void>()

  function reconsider(): void {
    change.resolve()
    change = Promise.withResolvers()
  }

  function hint(): void {
    Object.assign(mayWait, { prompts: true, tasks: true })
    reconsider()
  }

  // A polling runtime is between two turns. One that has not started yet waits for the task.
  const idle = () => runtime() === undefined || (polls > 0 && modelCalls() === 0)

  const context: JobContext = {
    volume,
    idle,
    async whileHeld(run) {
      for (const until = Date.now() + patienceMs; !idle() && Date.now() < until && !stopped.aborted; ) await sleep(100)
      return runtime()?.whileHeld(run) ?? run()
    },
    whileStopped: (run) => runtime()?.whileStopped(run) ?? run(),
    still: (run) => runtime()?.whileHeld(run) ?? run(),
    journal,
  }

  /** Clear the expectation before asking, so a notice meanwhile causes another request. */
  async function ask(tasks: 'too' | 'only', waitSeconds: number): Promise<Answer<PolledWork>> {
    const before = { ...mayWait }
    mayWait.tasks = false
    if (tasks === 'too') mayWait.prompts = false
    const answer = await service.poll(waitSeconds, tasks, stopped).catch((thrown: unknown) => {
      Object.assign(mayWait, { prompts: mayWait.prompts || before.prompts, tasks: mayWait.tasks || before.tasks })
      throw thrown
    })
    const { prompt, turn = null, task } = answer.ok ? answer.body : {}
    if (!answer.ok || task) hint()
    if (prompt) {
      // Tasks are handed out before prompts, so no task is waiting.
      mayWait.prompts = true
      held.add(prompt.id)
      taken(prompt, turn)
    }
    return answer
  }

  async function alone(run: () => Promise<void>): Promise<void> {
    while (working) await working
    working = run().finally(() => {
      working = undefined
      reconsider()
    })
    await working
  }

  /** One task at a time. */
  const work = (task: Task): Promise<void> =>
    alone(() =>
      perform(task, context).catch((thrown: unknown) => {
        log('a task was left', { because: nameOf(thrown) })
        setTimeout(hint, taskLeaseMs)
      }),
    )

  async function pollForTasks(): Promise<void> {
    while (!stopped.aborted) {
      if (polls > 0 || working || (isTold() && !mayWait.tasks)) {
        await change.promise
        await sleep(betweenPollsMs)
        continue
      }
      const answer = await ask('only', isTold() ? 0 : taskWaitSeconds).catch(() => undefined)
      if (!answer?.ok) await sleep(5_000)
      else if (answer.body.task) await work(answer.body.task)
    }
  }

  function claim(): PromptAnswer | undefined {
    const kept = unclaimed && Date.now() - unclaimed.atMs < keptMs ? unclaimed.answer : undefined
    unclaimed = undefined
    return kept
  }

  /** Waits until there may be a reason to ask, or `left` is raised. */
  const changed = (untilMs: number, left: AbortSignal): Promise<void> =>
    waitFor(change.promise, Math.max(0, Math.min(untilMs, held.lapseMs ?? untilMs) - Date.now()), left)

  const poll: Poll = async (waitSeconds, left) => {
    for (const untilMs = Date.now() + waitSeconds * 1000; ; ) {
      await working
      const kept = claim()
      if (kept) return kept
      if (left.aborted) return undefined
      if (isTold() && held.lapsed()) hint()
      if (isTold() && !mayWait.prompts && !mayWait.tasks) {
        if (Date.now() >= untilMs) return nothing
        await changed(untilMs, left)
        continue
      }
      const waitMs = isTold() ? 0 : Math.max(0, untilMs - Date.now())
      const answer = await ask('too', Math.round(waitMs / 1000))
      if (!answer.ok) return answer
      const { prompt, task } = answer.body
      if (task) await work(task)
      if (prompt?.stoppedAt) {
        await closeStopped(prompt.id)
        continue
      }
      if (!prompt && (task || isTold()) && Date.now() < untilMs) continue
      const shown = { ...answer, body: { prompt: prompt && (await place(prompt)) } }
      if (prompt && left.aborted) unclaimed = { answer: shown, atMs: Date.now() }
      return shown
    }
  }

  return {
    start: () => void pollForTasks(),
    alone,
    async poll(waitSeconds, left) {
      polls++
      try {
        return await poll(waitSeconds, left)
      } finally {
        polls--
        reconsider()
      }
    },
    hint,
    reconsider,
  }
}

const nothing: PromptAnswer = {
  ok: true,
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: { prompt: null },
}

// A global timer: tests cannot move those of node:timers/promises.
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

import type { PolledWork, Task } from '../../domain/agent/task.ts'
import type { RuntimePrompt } from '../kit/attached.ts'
import { taskLeaseMs } from '../kit/limits.ts'
import { type Log, nameOf } from '../kit/log.ts'
import type { Answer, Service } from '../kit/service.ts'
import { waitFor } from '../kit/wait-for.ts'
import type { JobContext } from '../volume/jobs.ts'
import type { TurnJournal } from '../volume/turn-journal.ts'
import type { HeldPrompts } from './held-prompts.ts'
import type { RuntimeProcess } from './runtime-process.ts'

/** Maximum wait of a poll only for tasks, seconds. */
const taskWaitSeconds = 10
/** A prompt is kept this long for the next runtime: less than its lease. */
const keptMs = 60_000
/** A runtime that stays busy for longer is paused in the middle of its turn. */
const patienceMs = 5 * 60_000
/** A runtime that polls again within this time is not at work. */
const betweenPollsMs = 50

type PromptAnswer = Answer<{ prompt: RuntimePrompt | null }>

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
export class TaskPoller {
  readonly #options: PollerOptions
  #polls = 0
  #working: Promise<void> | undefined
  /** A prompt for a runtime that is gone. */
  #unclaimed: { answer: PromptAnswer; atMs: number } | undefined
  /** Whether the service may have work that was not requested yet. */
  readonly #mayWait = { prompts: true, tasks: true }
  #change = Promise.withResolvers<void>()

  constructor(options: PollerOptions) {
    this.#options = options
  }

  start(): void {
    void this.#pollForTasks()
  }

  /** Work may be waiting: ask the service. */
  hint(): void {
    Object.assign(this.#mayWait, { prompts: true, tasks: true })
    this.reconsider()
  }

  /** The socket connected or disconnected. */
  reconsider(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Runs `run`, which does not throw, while no task is under way. */
  async alone(run: () => Promise<void>): Promise<void> {
    while (this.#working) await this.#working
    this.#working = run().finally(() => {
      this.#working = undefined
      this.reconsider()
    })
    await this.#working
  }

  /** The runtime's poll; undefined when `left` was raised meanwhile. */
  async poll(waitSeconds: number, left: AbortSignal): Promise<PromptAnswer | undefined> {
    this.#polls++
    try {
      return await this.#pollForPrompt(Date.now() + waitSeconds * 1000, left)
    } finally {
      this.#polls--
      this.reconsider()
    }
  }

  async #pollForPrompt(untilMs: number, left: AbortSignal): Promise<PromptAnswer | undefined> {
    const { isTold, held, closeStopped } = this.#options
    for (;;) {
      await this.#working
      const kept = this.#claim()
      if (kept) return kept
      if (left.aborted) return undefined
      if (isTold() && held.lapsed()) this.hint()
      if (isTold() && !this.#mayWait.prompts && !this.#mayWait.tasks) {
        if (Date.now() >= untilMs) return nothing
        await this.#changed(untilMs, left)
        continue
      }
      const waitMs = isTold() ? 0 : Math.max(0, untilMs - Date.now())
      const answer = await this.#ask('too', Math.round(waitMs / 1000))
      if (!answer.ok) return answer
      const { prompt, task } = answer.body
      if (task) await this.#work(task)
      if (prompt?.stoppedAt) {
        await closeStopped(prompt.id)
        continue
      }
      if (!prompt && (task || isTold()) && Date.now() < untilMs) continue
      return this.#shown(answer, left)
    }
  }

  async #shown(answer: Answer<PolledWork> & { ok: true }, left: AbortSignal): Promise<PromptAnswer> {
    const { prompt } = answer.body
    const shown = { ...answer, body: { prompt: prompt && (await this.#options.place(prompt)) } }
    if (prompt && left.aborted) this.#unclaimed = { answer: shown, atMs: Date.now() }
    return shown
  }

  #claim(): PromptAnswer | undefined {
    const { answer, atMs = 0 } = this.#unclaimed ?? {}
    this.#unclaimed = undefined
    return Date.now() - atMs < keptMs ? answer : undefined
  }

  /** Waits until there may be a reason to ask, or `left` is raised. */
  #changed(untilMs: number, left: AbortSignal): Promise<void> {
    const lapseMs = this.#options.held.lapseMs ?? untilMs
    return waitFor(this.#change.promise, Math.max(0, Math.min(untilMs, lapseMs) - Date.now()), left)
  }

  async #pollForTasks(): Promise<void> {
    const { isTold, stopped } = this.#options
    while (!stopped.aborted) {
      if (this.#polls > 0 || this.#working || (isTold() && !this.#mayWait.tasks)) {
        await this.#change.promise
        await sleep(betweenPollsMs)
        continue
      }
      const answer = await this.#ask('only', isTold() ? 0 : taskWaitSeconds).catch(() => undefined)
      if (!answer?.ok) await sleep(5_000)
      else if (answer.body.task) await this.#work(answer.body.task)
    }
  }

  /** Clear the expectation before asking, so a notice meanwhile causes another request. */
  async #ask(tasks: 'too' | 'only', waitSeconds: number): Promise<Answer<PolledWork>> {
    const { service, held, taken, stopped } = this.#options
    const mayWait = this.#mayWait
    const before = { ...mayWait }
    mayWait.tasks = false
    if (tasks === 'too') mayWait.prompts = false
    const answer = await service.poll(waitSeconds, tasks, stopped).catch((thrown: unknown) => {
      Object.assign(mayWait, { prompts: mayWait.prompts || before.prompts, tasks: mayWait.tasks || before.tasks })
      throw thrown
    })
    const { prompt, turn = null, task } = answer.ok ? answer.body : {}
    if (!answer.ok || task) this.hint()
    if (prompt) {
      // Tasks are handed out before prompts, so no task is waiting.
      mayWait.prompts = true
      held.add(prompt.id)
      taken(prompt, turn)
    }
    return answer
  }

  /** One task at a time. */
  #work(task: Task): Promise<void> {
    return this.alone(() =>
      this.#options.perform(task, this.#context()).catch((thrown: unknown) => {
        this.#options.log('a task was left', { because: nameOf(thrown) })
        setTimeout(() => this.hint(), taskLeaseMs)
      }),
    )
  }

  #context(): JobContext {
    const { volume, runtime, stopped, journal } = this.#options
    return {
      volume,
      idle: () => this.#isIdle(),
      whileHeld: async (run) => {
        const until = Date.now() + patienceMs
        while (!this.#isIdle() && Date.now() < until && !stopped.aborted) await sleep(100)
        return runtime()?.whileHeld(run) ?? run()
      },
      whileStopped: (run) => runtime()?.whileStopped(run) ?? run(),
      still: (run) => runtime()?.whileHeld(run) ?? run(),
      journal,
    }
  }

  /** A polling runtime is between two turns. One that has not started yet waits for the task. */
  #isIdle(): boolean {
    return this.#options.runtime() === undefined || (this.#polls > 0 && this.#options.modelCalls() === 0)
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { Hands } from './errands.ts'
import { type Log, nameOf } from './log.ts'
import type { RuntimeProcess } from './runtime-process.ts'
import type { Answer, Service } from './service.ts'
import { asObject, asText } from './shapes.ts'
import { storeOf } from './volume/store.ts'

const ownWait = 10
/** A prompt is kept for the next runtime this long: less than its lease, ms. */
const leftMs = 60_000
/** An agent that is busy for longer than this is held still in the middle of its turn, ms. */
const patienceMs = 5 * 60_000

/**
 * Where prompts and tasks come in. The runtime's own poll brings either, and tasks stay here; while the runtime does not
 * poll, the desk asks for tasks alone. A runtime that polls is between two turns. The service does not see a poll being
 * given up and may still hand something out to it, so each is followed to its end, whoever has gone meanwhile.
 */
export interface Desk {
  /** The runtime's poll: what the service answers it. Undefined when `signal` was raised meanwhile. */
  poll(wait: number, signal: AbortSignal): Promise<Answer | undefined>
  close(): void
}

interface DeskOf {
  service: Service
  volume: string
  runtime: () => RuntimeProcess | undefined
  /** Model calls under way. */
  calls: () => number
  log: Log
}

export function openDesk({ service, volume, runtime, calls, log }: DeskOf): Desk {
  const closing = new AbortController()
  let polls = 0
  let working: Promise<void> | undefined
  /** A prompt that came for a runtime that is gone, and when. */
  let left: { answer: Answer; atMs: number } | undefined

  const ask = async (wait: number, tasks: 'too' | 'only'): Promise<Answer> =>
    service.call('agent', `/agent/prompt?wait=${wait}&tasks=${tasks}`, { signal: closing.signal })

  const idle = () => polls > 0 && calls() === 0

  /** Does a task to its end; a second one waits for the first. */
  async function work(task: Record<string, unknown>): Promise<void> {
    await working
    working = perform(task).finally(() => {
      working = undefined
    })
    await working
  }

  async function perform(task: Record<string, unknown>): Promise<void> {
    // Loaded when it is needed: most machines never do one.
    const { performTask } = await import('./task.ts')
    await performTask(service, task, hands, log)
  }

  const hands = (taskId: string): Hands => ({
    volume,
    store: storeOf(service, taskId),
    idle,
    async still(run) {
      for (const until = Date.now() + patienceMs; !idle() && Date.now() < until && !closing.signal.aborted; )
        await sleep(100)
      const wake = runtime()?.hold()
      try {
        return await run()
      } finally {
        wake?.()
      }
    },
    async stopped(run) {
      await runtime()?.rest()
      try {
        return await run()
      } finally {
        runtime()?.wake()
      }
    },
  })

  /** Tasks for a runtime that does not ask: it is at work, or not there. */
  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      if (polls > 0 || working) {
        await sleep(50)
        continue
      }
      const answer = await ask(ownWait, 'only').catch(() => undefined)
      if (answer?.status === 200) await takeTask(answer)
      else await sleep(5_000, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** Does the task of an answer, if it has one. */
  async function takeTask({ status, body }: Answer): Promise<boolean> {
    const task = asObject(asObject(body).task)
    if (status !== 200 || !asText(task.id)) return false
    await work(task).catch((thrown: unknown) => log('a task was left', { because: nameOf(thrown) }))
    return true
  }

  /** What a poll brings: an answer for the runtime, or undefined when it was a task, which is done by then. */
  async function next(wait: number): Promise<Answer | undefined> {
    const answer = await ask(wait, 'too')
    if (await takeTask(answer)) return undefined
    const { task: _, ...body } = asObject(answer.body)
    return answer.status === 200 ? { ...answer, body } : answer
  }

  function takeLeft(): Answer | undefined {
    const taken = left && Date.now() - left.atMs < leftMs ? left.answer : undefined
    left = undefined
    return taken
  }

  void watch()
  return {
    async poll(wait, signal) {
      const until = Date.now() + wait * 1000
      polls++
      try {
        for (;;) {
          await working
          const waiting = takeLeft()
          if (waiting) return waiting
          if (signal.aborted) return undefined
          const answer = await next(Math.max(0, Math.round((until - Date.now()) / 1000)))
          if (answer && signal.aborted && asText(asObject(asObject(answer.body).prompt).id))
            left = { answer, atMs: Date.now() }
          if (answer) return answer
          if (Date.now() >= until) return { status: 200, headers: {}, body: { prompt: null } }
        }
      } finally {
        polls--
      }
    },
    close: () => closing.abort(),
  }
}

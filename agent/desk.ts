import { setTimeout as sleep } from 'node:timers/promises'
import type { Hands } from './errands.ts'
import { type Log, nameOf } from './log.ts'
import type { RuntimeProcess } from './runtime-process.ts'
import type { Answer, Service } from './service.ts'
import { asObject, asText } from './shapes.ts'
import { storeOf } from './volume/store.ts'

const longestWait = 20
/** The lease of a task is renewed this often while it is done, ms. */
const renewMs = 20_000
/** An agent that is busy for longer than this is held still in the middle of its turn, ms. */
const patienceMs = 5 * 60_000

/**
 * Where prompts and tasks come in: one poll at a time. The runtime's own poll brings either, and tasks stay here; while
 * the runtime does not poll, the desk asks for tasks alone. A runtime that polls is between two turns.
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
  let ownPoll: AbortController | undefined
  let working: Promise<void> | undefined

  const ask = (wait: number, tasks: 'too' | 'only', signal: AbortSignal) =>
    service.call('agent', `/agent/prompt?wait=${wait}&tasks=${tasks}`, { signal })

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
    const taskId = asText(task.id)
    const errand = asObject(task.errand)
    const tell = (more: object) => service.call('agent', '/agent/observe', { body: { kind: 'task', taskId, ...more } })
    const renewal = setInterval(() => void tell({}).catch(() => {}), renewMs)
    try {
      // Loaded when it is needed: most machines never do one.
      const { runErrand } = await import('./errands.ts')
      const outcome = await runErrand(errand, hands(taskId))
      log('task done', { taskId, kind: asText(errand.kind), ok: 'result' in outcome })
      await reported(() => tell(outcome))
    } finally {
      clearInterval(renewal)
    }
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
      ownPoll = new AbortController()
      const signal = AbortSignal.any([ownPoll.signal, closing.signal])
      try {
        const { status, body } = await ask(longestWait, 'only', signal)
        const task = asObject(asObject(body).task)
        if (status === 200 && asText(task.id)) await work(task)
        else if (status !== 200) await sleep(5_000)
      } catch (thrown) {
        if (signal.aborted) continue
        log('tasks could not be asked for', { because: nameOf(thrown) })
        await sleep(5_000)
      }
    }
  }

  void watch()
  return {
    async poll(wait, signal) {
      polls++
      ownPoll?.abort()
      try {
        for (const until = Date.now() + wait * 1000; ; ) {
          await working
          if (signal.aborted) return undefined
          const left = Math.max(0, Math.round((until - Date.now()) / 1000))
          const answer = await ask(left, 'too', signal)
          const { task, ...rest } = asObject(answer.body)
          if (answer.status !== 200) return answer
          if (!asText(asObject(task).id)) return { ...answer, body: rest }
          await work(asObject(task))
          if (Date.now() >= until) return { ...answer, body: { prompt: null } }
        }
      } finally {
        polls--
      }
    },
    close: () => closing.abort(),
  }
}

/** The end of a task is told until somebody has heard it. */
async function reported(tell: () => Promise<Answer>): Promise<void> {
  for (let tried = 0; tried < 6; tried++) {
    const { status } = await tell().catch(() => ({ status: 0 }))
    if (status !== 0 && status !== 429 && status < 500) return
    await sleep(500 * 2 ** tried)
  }
}

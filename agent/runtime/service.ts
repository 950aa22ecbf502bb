import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity } from '../../domain/agent/activity.ts'
import type { Feedback, Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { Message } from '../../domain/chat/message.ts'
import type { RuntimeContext, RuntimePrompt } from '../kit/attached.ts'
import type { LoopbackSettings } from '../kit/environment.ts'
import { readText, send, within } from '../kit/http.ts'
import { maxWaitSeconds } from '../kit/limits.ts'
import { readRefusal } from '../kit/refusal.ts'
import type { Reply } from './reply.ts'

const callMs = 35_000

/** An error answer of the service or the loopback; 502 also stands for a broken connection. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly status: number
  readonly retryAfterSeconds: number | null
  /** For people; may be empty. */
  readonly explanation: string

  constructor(status: number, code: string, retryAfterSeconds: number | null = null, explanation = '') {
    super(code)
    this.status = status
    this.explanation = explanation
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The machine was stopped during a wait; the turn stays open for the next machine. */
export class Stopped extends Error {
  override name = 'Stopped'
}

/**
 * The agent's side of the protocol. A null result means that the prompt is closed. All calls but `progress` are
 * retried.
 * @throws ServiceError, Stopped
 */
export class Service {
  readonly #settings: LoopbackSettings
  readonly #stopped: AbortSignal

  constructor(settings: LoopbackSettings, stopped: AbortSignal) {
    this.#settings = settings
    this.#stopped = stopped
  }

  async nextPrompt(): Promise<RuntimePrompt | null> {
    const target = `/agent/prompt?wait=${maxWaitSeconds}`
    const answer = await this.retried(() =>
      this.call<{ prompt: RuntimePrompt | null }>(target, undefined, this.#stopped),
    )
    return answer.prompt
  }

  context(promptId: string): Promise<RuntimeContext | null> {
    return unlessGone(this.retried(() => this.call(`/agent/context?prompt=${encodeURIComponent(promptId)}`)))
  }

  /** When its files cannot be sent, the reply says so. */
  async reply(promptId: string, whole: Reply): Promise<Message | null> {
    const { text, outcome, refusal, files = [] } = whole
    const attachments = files.map((path) => ({ path }))
    const reply = {
      ...{ kind: 'reply', promptId, text },
      ...(outcome !== 'completed' && { outcome }),
      ...(refusal && { refusal }),
      ...(files.length > 0 && { attachments }),
    }
    try {
      const observed = await unlessGone(this.retried(() => this.call<Observed>('/agent/observe', reply)))
      return observed?.message ?? null
    } catch (thrown) {
      if (files.length === 0 || !(thrown instanceof ServiceError) || thrown.status !== 400) throw thrown
      const note = `(I could not attach what I wanted to. ${thrown.explanation})`
      return this.reply(promptId, { ...whole, text: `${text}\n\n${note}`, files: [] })
    }
  }

  /** @returns whether the user has stopped the reply */
  async progress(promptId: string, from: number, text: string): Promise<boolean> {
    const progress: SentObservation = { kind: 'progress', promptId, ...(text && { from, text }) }
    return (await this.call<Observed>('/agent/observe', progress)).stopped === true
  }

  async activity(promptId: string, activities: Activity[]): Promise<void> {
    const activity: SentObservation = { kind: 'activity', promptId, activities }
    await this.call('/agent/observe', activity)
  }

  /** True when the user stops the reply; false when the reply is over, or the supervisor does not know the prompt. */
  async untilStopped(promptId: string, over: AbortSignal): Promise<boolean> {
    const target = `/agent/stopped?prompt=${encodeURIComponent(promptId)}&wait=${maxWaitSeconds}`
    while (!over.aborted) {
      try {
        const { stopped } = await this.call<{ stopped: boolean }>(target, undefined, over)
        if (stopped) return !over.aborted
      } catch (thrown) {
        if (over.aborted || (thrown instanceof ServiceError && thrown.status === 404)) return false
        await this.pause(1).catch(() => {})
      }
    }
    return false
  }

  /** Asks the supervisor: a call ended by a stop may fail before the stop is reported. */
  async isStopped(promptId: string): Promise<boolean> {
    const target = `/agent/stopped?prompt=${encodeURIComponent(promptId)}`
    return this.call<{ stopped: boolean }>(target).then(
      ({ stopped }) => stopped,
      () => false,
    )
  }

  /**
   * Whether no call at all can be paid. The service then says of each new message that it waits for money.
   * @param code of a refused call
   */
  async paysNothing(code: string | undefined): Promise<boolean> {
    if (code !== 'wallet-empty') return code === 'wallet-suspended'
    return this.call<{ availableMicros: number }>('/llm/proxy/cost').then(
      ({ availableMicros }) => availableMicros === 0,
      () => true,
    )
  }

  /** Waits this long, or until the user stops the reply. @throws Stopped at the first stop signal */
  async pauseUnlessStopped(promptId: string, seconds: number): Promise<void> {
    const over = new AbortController()
    const stop = this.untilStopped(promptId, over.signal).then((isStopped) => isStopped || never)
    await Promise.race([this.pause(seconds), stop]).finally(() => over.abort())
  }

  async close(feedback: Feedback): Promise<void> {
    await unlessGone(this.retried(() => this.call('/agent/feedback', feedback)))
  }

  /** Retries failures that may pass: 429 after the given delay, 502 after 4, 8, 16, 32 s, 500 once. */
  async retried<T>(attempt: () => Promise<T>): Promise<T> {
    const waitAfter = retryWaits()
    for (;;) {
      try {
        return await attempt()
      } catch (thrown) {
        const seconds = thrown instanceof ServiceError ? waitAfter(thrown) : null
        if (seconds === null) throw thrown
        await this.pause(seconds)
      }
    }
  }

  /** @throws Stopped at the first stop signal */
  async pause(seconds: number): Promise<void> {
    await sleep(seconds * 1000 * this.#settings.backoffScale, undefined, { signal: this.#stopped }).catch(() => {
      throw new Stopped()
    })
  }

  async call<T>(target: string, body?: unknown, stopped?: AbortSignal, method?: 'DELETE'): Promise<T> {
    const { loopback, loopbackKey } = this.#settings
    const headers = { authorization: `Bearer ${loopbackKey}` }
    const call = { headers, body, method, signal: within(callMs, stopped) }
    const response = await request(`${loopback}${target}`, call).catch((thrown: unknown) => {
      throw stopped?.aborted ? new Stopped() : thrown
    })
    return JSON.parse(await readText(response))
  }
}

/** Resolves with the head of a successful response. @throws ServiceError */
export async function request(url: string, call: Parameters<typeof send>[1]): Promise<IncomingMessage> {
  const response = await send(url, call).catch(() => {
    throw new ServiceError(502, 'connection')
  })
  const status = response.statusCode ?? 502
  if (status < 300) return response
  const text = await readText(response).catch(() => '')
  const { code, message, retryAfterSeconds } = readRefusal(status, response.headers, text)
  throw new ServiceError(status, code, retryAfterSeconds, message)
}

const unlessGone = <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((thrown: unknown) => {
    if (thrown instanceof ServiceError && thrown.status === 404) return null
    throw thrown
  })

const never = new Promise<never>(() => {})

const waitAfter429 = (seconds: number, times: number): number | null =>
  times < most429 && seconds <= longestWaitSeconds ? seconds : null

const providerWaits = [4, 8, 16, 32]
const most429 = 10

/** The reply reports a longer rate limit, because waiting for its end would leave the user without an answer. */
const longestWaitSeconds = 120

/** Seconds to wait after each failure of one call; null when it has failed for good. */
function retryWaits(): (error: ServiceError) => number | null {
  const counts = { limited: 0, provider: 0, internal: 0 }
  return ({ status, retryAfterSeconds }) => {
    if (status === 429) return waitAfter429(retryAfterSeconds ?? 5, counts.limited++)
    if (status > 500) return providerWaits[counts.provider++] ?? null
    return status === 500 && counts.internal++ === 0 ? 1 : null
  }
}

import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { Measurement, Sample } from '../../domain/instance/metrics.ts'
import { maxSamples } from '../kit/limits.ts'
import type { Answer } from '../kit/service.ts'
import type { HeldPrompts } from './held-prompts.ts'

const minuteMs = 60_000
/** A connection is renewed after this many report intervals. */
const reportsPerConnection = 5
/** The first report comes after this part of an interval: many machines sleep again within the hour. */
const firstReport = 0.3

interface HeartbeatOptions {
  observe(observation: SentObservation): Promise<Answer<Pick<Observed, 'work' | 'stopped'>>>
  measure(): Promise<Measurement>
  held: HeldPrompts
  isBusy(): boolean
  socket: { readonly isConnected: boolean; readonly ageMs: number; renew(): Promise<void> }
  stopped(promptId: string): void
  work(): void
  reportMs: number
}

/** A heartbeat a minute during a turn, and reports of samples, whose answers also tell of unannounced work. */
export class Heartbeats {
  readonly #options: HeartbeatOptions
  readonly #samples: Sample[] = []
  #reportedMs: number
  #sampledMs = Date.now()
  #busyMs = Date.now()
  #reporting: Promise<void> | undefined

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#reportedMs = Date.now() - options.reportMs * (1 - firstReport)
  }

  /** Sends what is due; called several times a minute. @throws what `observe` throws */
  async tick(): Promise<void> {
    const { observe, held, isBusy, stopped, socket, reportMs } = this.#options
    const nowMs = Date.now()
    if (nowMs - this.#sampledMs >= minuteMs) await this.#sample()
    const renewals = held.due()
    for (const promptId of renewals) {
      const answer = await observe({ kind: 'heartbeat', busy: true, promptId })
      if (answer.ok) held.renewed(promptId)
      if (answer.ok && answer.body.stopped) stopped(promptId)
    }
    if (renewals.length > 0) this.#busyMs = nowMs
    else if (isBusy() && nowMs - this.#busyMs >= minuteMs) {
      this.#busyMs = nowMs
      await observe({ kind: 'heartbeat', busy: true })
    }
    // A machine without a connection reports each minute: nobody can request its samples.
    if (nowMs - this.#reportedMs >= (socket.isConnected ? reportMs : Math.min(reportMs, minuteMs))) await this.report()
  }

  report(): Promise<void> {
    this.#reporting ??= this.#report().finally(() => {
      this.#reporting = undefined
    })
    return this.#reporting
  }

  async reportNews(): Promise<void> {
    if (this.#samples.length > 0) await this.report()
  }

  async #report(): Promise<void> {
    const { observe, isBusy, socket, work, reportMs } = this.#options
    // The report below fetches what the connection may have missed.
    if (socket.ageMs >= reportsPerConnection * reportMs) await socket.renew()
    if (this.#samples.length === 0) await this.#sample()
    const samples = [...this.#samples]
    // A failed report is retried after 5% of the interval.
    this.#reportedMs = Date.now() - reportMs * 0.95
    const answer = await observe({ kind: 'heartbeat', busy: isBusy(), samples })
    if (!answer.ok) return
    this.#reportedMs = Date.now()
    this.#samples.splice(0, samples.length)
    if (answer.body.work) work()
  }

  async #sample(): Promise<void> {
    this.#sampledMs = Date.now()
    this.#samples.push({ ...(await this.#options.measure()), at: new Date().toISOString() })
    this.#samples.splice(0, this.#samples.length - maxSamples)
  }
}

import { createServer, type Server, type Socket } from 'node:net'
import type { SupervisorSettings } from '../kit/environment.ts'
import { isKey } from '../kit/headers.ts'
import { cut } from '../kit/text.ts'
import type { GroupUsage } from '../kit/usage.ts'
import { hear, mostReportBytes, type Order, type Report, tell } from './messages.ts'

const patienceMs = 60_000
const keyMs = 5_000
/** The supervisor does not wait long for answers of the launcher. */
const answerMs = 1_000

type Started = Omit<Extract<Order, { kind: 'start' }>, 'kind'>

interface Heard {
  started(pid: number): void
  ended(because: string | number, outOfMemory: boolean): void
}

/**
 * The connection to the launcher: the first that shows the key, before any program of the runtime's container runs. A
 * false message of the launcher can harm only the runtime.
 */
export class LauncherLink {
  readonly #settings: Pick<SupervisorSettings, 'meeting' | 'launcherKey'>
  readonly #server: Server
  readonly #taken = Promise.withResolvers<Socket>()
  readonly #lost: (why: string) => void
  #socket: Socket | undefined
  #heard: Heard = { started() {}, ended() {} }
  readonly #waiting = { measured: [] as ((used: GroupUsage) => void)[], signalled: [] as (() => void)[] }

  /** @param lost is called when no launcher connects, or the connection ends */
  constructor(settings: Pick<SupervisorSettings, 'meeting' | 'launcherKey'>, lost: (why: string) => void) {
    this.#settings = settings
    this.#lost = lost
    this.#server = createServer({ noDelay: true }, (socket) => this.#greet(socket))
    this.#server.on('error', () => lost('the launcher cannot be listened for'))
    this.#server.listen(settings.meeting)
    const late = setTimeout(() => lost('no launcher came'), patienceMs)
    void this.#taken.promise.then(() => clearTimeout(late))
  }

  async ready(heard: Heard): Promise<void> {
    this.#heard = heard
    await this.#taken.promise
  }

  start(what: Started): void {
    this.#order({ kind: 'start', ...what })
  }

  /** Resolves when the launcher has sent the signal, if a runtime runs. */
  async signal(signal: Extract<Order, { kind: 'signal' }>['signal']): Promise<void> {
    await this.#ask<void>({ kind: 'signal', signal }, this.#waiting.signalled)
  }

  /** The usage of the runtime's container; null if unknown. */
  measure(): Promise<GroupUsage | null> {
    return this.#ask<GroupUsage>({ kind: 'measure' }, this.#waiting.measured)
  }

  #order(order: Order): void {
    if (this.#socket) tell(this.#socket, order)
  }

  /** Answers come in the order of the orders. */
  async #ask<T>(order: Order, waiting: ((answer: T) => void)[]): Promise<T | null> {
    if (!this.#socket) return null
    const { promise, resolve } = Promise.withResolvers<T | null>()
    const late = setTimeout(resolve, answerMs, null)
    waiting.push(resolve)
    this.#order(order)
    return promise.finally(() => clearTimeout(late))
  }

  #greet(socket: Socket): void {
    const late = setTimeout(() => socket.destroy(), keyMs)
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(late)
      if (socket === this.#socket) this.#lost('the launcher is gone')
    })
    hear<Report>(socket, mostReportBytes, (report) => {
      if (socket === this.#socket) return this.#take(report)
      if (this.#socket || report.kind !== 'launcher' || !isKey(report.key, this.#settings.launcherKey))
        return void socket.destroy()
      clearTimeout(late)
      this.#socket = socket
      this.#server.close()
      this.#taken.resolve(socket)
    })
  }

  #take(report: Partial<Report>): void {
    if (report.kind === 'started') this.#heard.started(Number(report.pid) || 0)
    if (report.kind === 'ended') this.#heard.ended(cut(String(report.because), 40), report.outOfMemory === true)
    if (report.kind === 'signalled') this.#waiting.signalled.shift()?.()
    if (report.kind === 'measured') this.#waiting.measured.shift()?.(sane(report))
  }
}

const sane = ({ cpuMs, memoryBytes }: Partial<GroupUsage>): GroupUsage => ({
  cpuMs: amount(cpuMs),
  memoryBytes: amount(memoryBytes),
})

const amount = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0

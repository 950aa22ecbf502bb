import { fileURLToPath } from 'node:url'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import { type Log, nameOf } from '../kit/log.ts'
import type { LauncherLink } from '../launcher/link.ts'
import { reasonOf } from './start-trouble.ts'

const firstRestartMs = 500
const longestRestartMs = 30_000
/** After this time the restart backoff is reset. */
const healthyMs = 60_000
/** Time for the runtime to finish its turn before a task. */
const makeWayMs = 50_000
/** Maximum wait for the launcher's report that a killed runtime is gone. */
const goneMs = 2_000

interface RuntimeOptions {
  launcher: Pick<LauncherLink, 'ready' | 'start' | 'signal'>
  /** For /bin/sh; null runs the reference agent. */
  command: string | null
  /** The complete environment. */
  environment: Record<string, string>
  cwd: string
  prepare(): Promise<void>
  /** The runtime ended by itself, or `prepare` failed. */
  crashed(reason: CannotStartReason): void
  healthy(): void
  log: Log
}

export class RuntimeProcess {
  readonly #options: RuntimeOptions
  /** Undefined while the runtime is not running. */
  #startedMs: number | undefined
  #restart: NodeJS.Timeout | undefined
  #health: NodeJS.Timeout | undefined
  #failures = 0
  /** The runtime ends on request. */
  #stopping = false
  /** The runtime is never started again. */
  #over = false
  #gone: () => void = () => {}
  #preparing: Promise<void> = Promise.resolve()

  constructor(options: RuntimeOptions) {
    this.#options = options
    const { launcher, log } = options
    const heard = {
      started: (pid: number) => log('runtime started', { pid }),
      ended: (because: string | number, outOfMemory: boolean) => this.#ended(because, outOfMemory),
    }
    void launcher.ready(heard).then(() => this.#stopping || this.#start())
  }

  /** Lets the runtime finish its turn, and kills it after the grace period. Resolves when it is gone. */
  stop(graceMs: number): Promise<void> {
    this.#over = true
    return this.#end(graceMs)
  }

  kill(): void {
    this.#over = true
    this.#stopping = true
    clearTimeout(this.#restart)
    void this.#options.launcher.signal('SIGKILL')
  }

  lost(): void {
    this.#gone()
  }

  /** Pauses the runtime, unnoticed by it, during `run`. */
  async whileHeld<T>(run: () => Promise<T>): Promise<T> {
    const { launcher } = this.#options
    await launcher.signal('SIGSTOP')
    try {
      return await run()
    } finally {
      await launcher.signal('SIGCONT')
    }
  }

  /** Stops the runtime during `run`, then restarts it. */
  async whileStopped<T>(run: () => Promise<T>): Promise<T> {
    await this.#end(makeWayMs)
    try {
      return await run()
    } finally {
      if (!this.#over) {
        this.#stopping = false
        this.#start()
      }
    }
  }

  #start(): void {
    this.#preparing = this.#launch()
  }

  async #launch(): Promise<void> {
    const { launcher, command, cwd, environment, prepare, healthy } = this.#options
    try {
      await prepare()
    } catch (thrown) {
      const { code = nameOf(thrown) } = Object(thrown)
      return this.#startLater(code, 0, reasonOf(code, 'volume'))
    }
    if (this.#stopping) return
    this.#startedMs = Date.now()
    this.#health = setTimeout(healthy, healthyMs)
    launcher.start({ ...commandLine(command), environment, cwd })
  }

  #ended(because: string | number, outOfMemory: boolean): void {
    if (this.#startedMs === undefined) return
    const livedMs = Date.now() - this.#startedMs
    this.#startedMs = undefined
    clearTimeout(this.#health)
    this.#gone()
    this.#startLater(because, livedMs, outOfMemory ? 'out-of-memory' : 'crash')
  }

  #startLater(because: string | number, livedMs: number, reason: CannotStartReason): void {
    if (this.#stopping) return
    this.#failures = livedMs >= healthyMs ? 1 : this.#failures + 1
    const waitMs = Math.min(firstRestartMs * 2 ** (this.#failures - 1), longestRestartMs)
    this.#options.log('runtime ended, starting it again', {
      because,
      waitMs,
      ...(reason === 'out-of-memory' && { outOfMemory: true }),
    })
    this.#options.crashed(reason)
    this.#restart = setTimeout(() => this.#start(), waitMs)
  }

  async #end(graceMs: number): Promise<void> {
    const { launcher, log } = this.#options
    this.#stopping = true
    clearTimeout(this.#restart)
    await this.#preparing
    await new Promise<void>((resolve) => {
      if (this.#startedMs === undefined) return resolve()
      let killer = setTimeout(() => {
        log('the turn took longer than the stop timeout')
        void launcher.signal('SIGKILL')
        killer = setTimeout(this.#gone, goneMs)
      }, graceMs)
      this.#gone = () => {
        clearTimeout(killer)
        resolve()
      }
      void launcher.signal('SIGCONT')
      void launcher.signal('SIGTERM')
    })
  }
}

/** Paths are the same in the runtime's container, which has the same image. */
const commandLine = (command: string | null): { file: string; args: string[] } =>
  command === null
    ? { file: process.execPath, args: [fileURLToPath(new URL('../runtime/main.ts', import.meta.url))] }
    : { file: '/bin/sh', args: ['-c', `exec ${command}`] }

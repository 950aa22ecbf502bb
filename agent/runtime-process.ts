import { fileURLToPath } from 'node:url'
import type { CannotStartReason } from '../domain/instance/cannot-start.ts'
import type { LauncherLink } from './launcher-link.ts'
import { type Log, nameOf } from './log.ts'
import { reasonOf } from './start-trouble.ts'

const firstRestartMs = 500
const longestRestartMs = 30_000
/** A runtime that lived this long restarts its backoff. */
const healthyMs = 60_000
/** How long the runtime may go on with its turn when it makes way for a task. */
const makeWayMs = 50_000
/** A runtime that was killed and is not said to be gone is not waited for any longer. */
const goneMs = 2_000

interface RuntimeOptions {
  launcher: Pick<LauncherLink, 'ready' | 'start' | 'signal'>
  /** For /bin/sh; null runs the reference agent. */
  command: string | null
  /** All it gets. */
  environment: Record<string, string>
  cwd: string
  /** Makes the volume ready for it, before each start. */
  prepare(): Promise<void>
  /** Called when it ended by itself, or the volume could not be made ready for it. */
  crashed(reason: CannotStartReason): void
  /** Called when it has lived for a while. */
  healthy(): void
  log: Log
}

/** Keeps the runtime running: has it started, and again when it ends by itself. */
export class RuntimeProcess {
  readonly #options: RuntimeOptions
  /** When it was started; undefined while it does not run. */
  #startedMs: number | undefined
  #restart: NodeJS.Timeout | undefined
  #health: NodeJS.Timeout | undefined
  #failures = 0
  /** It ends on request. */
  #stopping = false
  /** It is not started again by anybody. */
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

  /** Asks it to finish its turn and ends it after the grace. Resolves when it is gone. */
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

  /** Its container is gone, and it with it. */
  lost(): void {
    this.#gone()
  }

  /** Runs it while the runtime is held still; it notices nothing. */
  async whileHeld<T>(run: () => Promise<T>): Promise<T> {
    const { launcher } = this.#options
    await launcher.signal('SIGSTOP')
    try {
      return await run()
    } finally {
      await launcher.signal('SIGCONT')
    }
  }

  /** Runs it while the runtime is stopped, then restarts the runtime. */
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

/** As it is in the runtime's container, which has the same image. */
const commandLine = (command: string | null): { file: string; args: string[] } =>
  command === null
    ? { file: process.execPath, args: [fileURLToPath(new URL('./runtime/main.ts', import.meta.url))] }
    : { file: '/bin/sh', args: ['-c', `exec ${command}`] }

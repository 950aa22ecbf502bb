import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from './log.ts'

const firstRestartMs = 500
const longestRestartMs = 30_000
/** A runtime that lived this long starts its backoff anew. */
const healthyMs = 60_000
/** How long the runtime may go on with its turn when it makes way for a task. */
const makeWayMs = 50_000

interface RuntimeOptions {
  /** For /bin/sh; null runs the reference agent. */
  command: string | null
  /** All it gets. */
  environment: Record<string, string>
  cwd: string
  /** Called when it ended by itself. */
  crashed(): void
  log: Log
}

/** Keeps the runtime running: starts it, and again when it ends by itself. */
export class RuntimeProcess {
  readonly #options: RuntimeOptions
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #failures = 0
  /** It ends because it was told to. */
  #stopping = false
  /** It is not started again by anybody. */
  #over = false
  #gone: () => void = () => {}

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#start()
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
    this.#child?.kill('SIGKILL')
  }

  /** Runs it while the runtime is held still; it notices nothing. */
  async whileHeld<T>(run: () => Promise<T>): Promise<T> {
    const child = this.#child
    child?.kill('SIGSTOP')
    try {
      return await run()
    } finally {
      child?.kill('SIGCONT')
    }
  }

  /** Runs it while the runtime is stopped; it is started anew after. */
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
    const { command, cwd, environment, log } = this.#options
    const startedMs = Date.now()
    const [file, args] = commandLine(command)
    // Its standard input is a pipe that closes when we die, however we die.
    const child = spawn(file, args, { cwd, env: environment, stdio: ['pipe', 'inherit', 'inherit'] })
    this.#child = child
    child.stdin.on('error', () => {})
    child.once('spawn', () => log('runtime started', { pid: child.pid }))
    child.once('exit', (code, signal) => this.#ended(startedMs, signal ?? code))
    child.once('error', (error) => {
      if (child.pid === undefined) this.#ended(startedMs, error.name)
    })
  }

  #ended(startedMs: number, because: string | number | null): void {
    this.#child = undefined
    this.#gone()
    if (this.#stopping) return
    this.#failures = Date.now() - startedMs >= healthyMs ? 1 : this.#failures + 1
    const waitMs = Math.min(firstRestartMs * 2 ** (this.#failures - 1), longestRestartMs)
    this.#options.log('runtime ended, starting it again', { because, waitMs })
    this.#options.crashed()
    this.#restart = setTimeout(() => this.#start(), waitMs)
  }

  #end(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#stopping = true
      clearTimeout(this.#restart)
      const child = this.#child
      if (!child) return resolve()
      const killer = setTimeout(() => {
        this.#options.log('the turn took longer than the stop timeout')
        child.kill('SIGKILL')
      }, graceMs)
      this.#gone = () => {
        clearTimeout(killer)
        resolve()
      }
      child.kill('SIGCONT')
      child.kill('SIGTERM')
    })
  }
}

const commandLine = (command: string | null): [string, string[]] =>
  command === null
    ? [process.execPath, [fileURLToPath(new URL('./runtime/main.ts', import.meta.url))]]
    : ['/bin/sh', ['-c', `exec ${command}`]]

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Log } from './log.ts'

const firstRestartMs = 500
const longestRestartMs = 30_000
/** A runtime that lived this long starts its backoff anew. */
const healthyMs = 60_000

export interface RuntimeProcess {
  /** Asks it to finish its turn and ends it after the grace. Resolves when it is gone. */
  stop(graceMs: number): Promise<void>
  /** Ends it now. */
  kill(): void
  /** Holds it still until the answer is called; it notices nothing. */
  hold(): () => void
  /** Stops it for a while; `wake` starts it anew. */
  rest(): Promise<void>
  wake(): void
}

const restMs = 50_000

/** Keeps the runtime running: starts it with exactly this environment, and again when it ends by itself. */
export function keepRuntime(
  command: string | null,
  environment: Record<string, string>,
  cwd: string,
  log: Log,
  crashed: () => void = () => {},
): RuntimeProcess {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let failures = 0
  let gone: () => void = () => {}

  function start(): void {
    const startedMs = Date.now()
    const [file, args] = commandLine(command)
    // Its standard input is a pipe that closes when we die, however we die.
    child = spawn(file, args, { cwd, env: environment, stdio: ['pipe', 'inherit', 'inherit'] })
    child.stdin?.on('error', () => {})
    child.once('spawn', () => log('runtime started', { pid: child?.pid ?? 0 }))
    child.once('exit', (code, signal) => ended(startedMs, signal ?? code))
    child.once('error', (error) => {
      if (child?.pid === undefined) ended(startedMs, error.name)
    })
  }

  function ended(startedMs: number, because: string | number | null): void {
    child = undefined
    gone()
    if (stopping) return
    failures = Date.now() - startedMs >= healthyMs ? 1 : failures + 1
    const waitMs = Math.min(firstRestartMs * 2 ** (failures - 1), longestRestartMs)
    log('runtime ended, starting it again', { because, waitMs })
    crashed()
    timer = setTimeout(start, waitMs)
  }

  const stop = (graceMs: number): Promise<void> =>
    new Promise((resolve) => {
      stopping = true
      clearTimeout(timer)
      if (!child) return resolve()
      const killer = setTimeout(() => {
        log('the turn took longer than the stop timeout')
        child?.kill('SIGKILL')
      }, graceMs)
      gone = () => {
        clearTimeout(killer)
        resolve()
      }
      child.kill('SIGCONT')
      child.kill('SIGTERM')
    })

  let over = false
  start()
  return {
    stop: (graceMs) => {
      over = true
      return stop(graceMs)
    },
    hold() {
      const held = child
      held?.kill('SIGSTOP')
      return () => void held?.kill('SIGCONT')
    },
    rest: () => stop(restMs),
    wake() {
      if (over || child) return
      stopping = false
      start()
    },
    kill: () => {
      over = true
      stopping = true
      clearTimeout(timer)
      child?.kill('SIGKILL')
    },
  }
}

const commandLine = (command: string | null): [string, string[]] =>
  command === null
    ? [process.execPath, [fileURLToPath(new URL('./runtime/main.ts', import.meta.url))]]
    : ['/bin/sh', ['-c', `exec ${command}`]]

import { AsyncLocalStorage } from 'node:async_hooks'
import { secondMs } from '../../../../domain/time.ts'

interface Timer {
  run(): void
  atMs: number
  everyMs: number
  /** Null once the timer was cleared or has run for the last time. */
  repeat: boolean | null
}

/** Shorter timers run normally: an SDK's wait before a retry must end even when the clock stands still. */
const leastMs = secondMs

/**
 * Timers of a second or more run only when their clock is moved, so no request is too slow on a busy machine. Returns a
 * function that moves the clock and one that restores the real timers. Promises, sockets and `setImmediate` are
 * unchanged.
 */
export function holdTimers(nowMs: () => number) {
  const real = { setTimeout, setInterval, clearTimeout, clearInterval }
  const open = new Set<Timer>()

  const start = (run: () => void, everyMs: number, repeat: boolean) => {
    const timer: Timer = { run: AsyncLocalStorage.bind(run), atMs: nowMs() + everyMs, everyMs, repeat }
    open.add(timer)
    const handle = Object.assign(timer, {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => false,
      refresh: () => {
        if (timer.repeat === null) return handle
        timer.atMs = nowMs() + everyMs
        open.add(timer)
        return handle
      },
      close: () => handle,
      [Symbol.dispose]: () => clear(timer),
      [Symbol.toPrimitive]: () => 0,
    })
    return handle
  }
  const clear = (timer: unknown): void => {
    const known = timer as Timer & NodeJS.Timeout // safe because only items of `start` are in the set
    if (open.delete(known)) known.repeat = null
    else real.clearTimeout(known)
  }
  type Run = (...args: unknown[]) => void
  const held = {
    setTimeout: (run: Run, ms = 0, ...args: unknown[]) =>
      ms >= leastMs ? start(() => run(...args), ms, false) : real.setTimeout(run, ms, ...args),
    setInterval: (run: Run, ms = 0, ...args: unknown[]) =>
      ms >= leastMs ? start(() => run(...args), ms, true) : real.setInterval(run, ms, ...args),
    clearTimeout: clear,
    clearInterval: clear,
  }
  Object.assign(globalThis, held)

  return {
    real,
    /** Runs all timers that are due. */
    runDue(): void {
      const now = nowMs()
      for (const timer of [...open].filter(({ atMs }) => atMs <= now)) {
        if (!open.has(timer)) continue
        if (timer.repeat) timer.atMs = now + timer.everyMs
        else open.delete(timer)
        timer.run()
      }
    },
    restore: () => void Object.assign(globalThis, real),
  }
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type * as z from 'zod'

/** A small record kept in memory and on disk. */
export interface StateFile<T> {
  value: T
  /** Writes a temporary file and renames it, so a crash leaves an old state or the new one, never half of one. */
  save(): void
  /** Writes at once what `save` waits with. */
  flush(): void
}

/**
 * Opens `path`, or starts with `initial` when there is no such file. Only its owner may read it: it holds secrets.
 * A state that changes often is written once in `everyMs` milliseconds, the first change at once.
 */
export function openState<T>(path: string, schema: z.ZodType<T>, initial: T, everyMs = 0): StateFile<T> {
  mkdirSync(dirname(path), { recursive: true })
  let timer: NodeJS.Timeout | undefined
  let isWaiting = false
  const write = () => {
    clearTimeout(timer)
    isWaiting = false
    timer = everyMs === 0 ? undefined : setTimeout(rested, everyMs).unref()
    const temporary = `${path}.${process.pid}.tmp`
    writeFileSync(temporary, JSON.stringify(state.value), { mode: 0o600 })
    renameSync(temporary, path)
  }
  const rested = () => {
    timer = undefined
    if (isWaiting) write()
  }
  const state = {
    value: existsSync(path) ? read(path, schema) : initial,
    save() {
      if (!timer) return write()
      isWaiting = true
      timer.ref()
    },
    flush() {
      if (isWaiting) write()
    },
  }
  return state
}

function read<T>(path: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new Error(`${path} cannot be read; move it away to begin without it`, { cause: error })
  }
}

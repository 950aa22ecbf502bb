import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type * as z from 'zod'

/** A small record kept in memory and on disk. */
export interface StateFile<T> {
  value: T
  /** Writes a temporary file and renames it, so a crash leaves the old state or the new one, never half of one. */
  save(): void
}

/** Opens `path`, or starts with `initial` when there is no such file. Only its owner may read it: it holds secrets. */
export function openState<T>(path: string, schema: z.ZodType<T>, initial: T): StateFile<T> {
  mkdirSync(dirname(path), { recursive: true })
  const state = {
    value: existsSync(path) ? read(path, schema) : initial,
    save() {
      const temporary = `${path}.${process.pid}.tmp`
      writeFileSync(temporary, JSON.stringify(state.value), { mode: 0o600 })
      renameSync(temporary, path)
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

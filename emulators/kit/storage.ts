import { join } from 'node:path'
import * as z from 'zod'
import { openState } from './state-file.ts'

/** The memory of an emulator between two runs. */
export interface Storage {
  /** The last saved state; undefined at first. */
  load(): unknown
  save(state: object): void
  /** Writes what `save` has delayed. */
  flush(): void
}

/**
 * Keeps the state in `<folder>/<name>.json`; without a folder it keeps nothing. A state that changes often is written
 * at most once in `everyMs` milliseconds.
 */
export function openStorage(folder: string | undefined, name: string, everyMs = 0): Storage {
  if (folder === undefined) return { load: () => undefined, save() {}, flush() {} }
  const file = openState<unknown>(join(folder, `${name}.json`), z.unknown(), undefined, everyMs)
  return {
    load: () => file.value,
    save(state) {
      file.value = state
      file.save()
    },
    flush: file.flush,
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../machine.ts'

/** Starts a volume worker and kills it at a moment that the test chooses. */
export async function killWorker(
  bench: Bench,
  moment: () => Promise<unknown>,
  more: Record<string, string> = {},
): Promise<void> {
  const machine = bench.start({ BERTH_ROLE: 'volume-worker', ...more })
  await moment()
  machine.child.kill('SIGKILL')
  await machine.exited
}

/** The bytes of a file; undefined when it does not exist. */
export function contentAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Names of the files that are not yet in place. */
export const halfWritten = (volume: string): string[] => readdirSync(join(volume, '.berth', 'edits'))

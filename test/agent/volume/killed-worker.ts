import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../machine.ts'

/** Starts a volume worker and kills it at a moment of the test's choice. */
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

/** The bytes of a file; undefined when there is none. */
export function contentAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Names of the files that are not in their places yet. */
export const halfWritten = (volume: string): string[] => readdirSync(join(volume, '.berth', 'edits'))

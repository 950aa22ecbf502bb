import * as z from 'zod'
import type { PersonaFile } from './persona.ts'

export const fileDiff = z
  .object({
    path: z.string(),
    lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
  })
  .meta({ id: 'FileDiff' })
export type FileDiff = z.infer<typeof fileDiff>

type Line = FileDiff['lines'][number]

/** What changed from one set of files to another, line by line; files that are the same in both are left out. */
export function diffFiles(before: PersonaFile[], after: PersonaFile[]): FileDiff[] {
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort()
  return paths.flatMap((path) => {
    const [old, now] = [textAt(before, path), textAt(after, path)]
    return old === now ? [] : [{ path, lines: diffLines(linesOf(old), linesOf(now)) }]
  })
}

const textAt = (files: PersonaFile[], path: string): string | undefined => files.find((one) => one.path === path)?.text
const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split('\n'))

/** The shortest such list, by the longest common subsequence; a persona's caps keep the table small. */
function diffLines(before: string[], after: string[]): Line[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  const at = (i: number, j: number) => table[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row) row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i++] ?? '' })
      j++
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: before[i++] ?? '' })
    } else lines.push({ kind: 'added', text: after[j++] ?? '' })
  }
  return lines
}

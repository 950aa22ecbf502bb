import * as z from 'zod'
import { notFound } from '../errors.ts'
import { timestamp } from '../timestamp.ts'
import { type PersonaFile, type PersonaVersion, sizeOf } from './persona.ts'

const version = z.object({
  version: z.int(),
  savedAt: timestamp,
  name: z.string(),
  characters: z.int(),
  tokens: z.int().meta({ description: 'An estimate.' }),
})

export const personaVersions = z.object({ versions: z.array(version) })

const fileDiff = z
  .object({
    path: z.string(),
    lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
  })
  .meta({ id: 'FileDiff' })
export type FileDiff = z.infer<typeof fileDiff>

type Line = FileDiff['lines'][number]

export const versionDetail = z.object({
  version,
  texts: z.array(z.object({ path: z.string(), text: z.string() })),
  against: z.int().nullable().meta({ description: 'The version the diff begins with; null for the first.' }),
  diff: z.array(fileDiff),
})

const show = ({ version, savedAt, name, files }: PersonaVersion) => ({ version, savedAt, name, ...sizeOf(files) })

/** @throws not-found for a built-in or another user's persona, which has no versions */
export function showVersions(kept: PersonaVersion[]): z.infer<typeof personaVersions> {
  if (kept.length === 0) throw notFound('persona of your own')
  return { versions: kept.map(show) }
}

/** @throws not-found */
export function versionOf(kept: PersonaVersion[], wanted: number): PersonaVersion {
  const found = kept.find(({ version }) => version === wanted)
  if (!found) throw notFound('version that is still kept')
  return found
}

/** Compares with the version before unless said. @throws not-found */
export function compareVersions(
  kept: PersonaVersion[],
  of: number,
  against: number | undefined,
): z.infer<typeof versionDetail> {
  const to = versionOf(kept, of)
  const from = against === undefined ? kept.find(({ version }) => version < of) : versionOf(kept, against)
  return {
    version: show(to),
    texts: to.files,
    against: from?.version ?? null,
    diff: diffFiles(from?.files ?? [], to.files),
  }
}

function diffFiles(before: PersonaFile[], after: PersonaFile[]): FileDiff[] {
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort()
  return paths.flatMap((path) => {
    const [old, now] = [textAt(before, path), textAt(after, path)]
    return old === now ? [] : [{ path, lines: diffLines(linesOf(old), linesOf(now)) }]
  })
}

const textAt = (files: PersonaFile[], path: string): string | undefined =>
  files.find((file) => file.path === path)?.text
const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split('\n'))

/** Cells of a table of common lines at most, two bytes each. */
const maxCells = 4_000_000

/** The shortest list of changes; where the table would be too large, all old lines and then all new ones. */
function diffLines(before: string[], after: string[]): Line[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const changed = old.length * now.length > maxCells ? [...as('removed', old), ...as('added', now)] : diffFew(old, now)
  return [...as('same', before.slice(0, head)), ...changed, ...as('same', before.slice(before.length - tail))]
}

const as = (kind: Line['kind'], lines: string[]): Line[] => lines.map((text) => ({ kind, text }))

function diffFew(before: string[], after: string[]): Line[] {
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

import type { Operations } from '../../clients/typescript/operations.ts'

export type PersonaDraft = Operations['savePersona']['input'] & { description: string }
export type PersonaFile = PersonaDraft['files'][number]

export const blankDraft: PersonaDraft = {
  id: '',
  name: '',
  description: '',
  files: [{ path: 'SOUL.md', text: '' }],
  basedOn: 0,
}

/** Where drafts are kept: of a persona, and of a new one (`-`, or a copy of `from`). */
export const placeOf = (id: string): string => `persona ${id}`
export const placeOfNew = (from = '-'): string => `new-persona ${from}`

/** Null for anything but a draft. */
export function parseDraft(value: unknown): PersonaDraft | null {
  if (typeof value !== 'object' || value === null) return null
  const { id, name, description, files, basedOn, copiedFrom } = value as Partial<Record<keyof PersonaDraft, unknown>> // safe because each field is looked at
  const areTexts = [id, name, description].every((each) => typeof each === 'string')
  const areFiles = Array.isArray(files) && files.length > 0 && files.every(isFile)
  if (!areTexts || !areFiles || typeof basedOn !== 'number') return null
  if (copiedFrom !== undefined && typeof copiedFrom !== 'string') return null
  return value as PersonaDraft // safe because of the lines above
}

const isFile = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'text' in value &&
  typeof value.path === 'string' &&
  typeof value.text === 'string'

/** As the service stores it: trimmed, and without empty files. */
const kept = ({ name, description, files }: PersonaDraft) =>
  JSON.stringify([
    name.normalize('NFC').trim(),
    description.trim(),
    files.flatMap(({ path, text }) => (text.trim() === '' ? [] : [[path, text.trim()]])),
  ])

export const isSameText = (a: PersonaDraft, b: PersonaDraft): boolean => kept(a) === kept(b)

export const withoutEmpty = (draft: PersonaDraft): PersonaDraft => ({
  ...draft,
  files: draft.files.filter(({ text }) => text.trim() !== ''),
})

export function pairsOf(before: readonly PersonaFile[], after: readonly PersonaFile[]) {
  const textAt = (files: readonly PersonaFile[], path: string) => files.find((file) => file.path === path)?.text ?? ''
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort()
  return paths.map((path) => ({ path, before: textAt(before, path), after: textAt(after, path) }))
}

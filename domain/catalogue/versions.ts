import * as z from 'zod'
import { notFound } from '../errors.ts'
import { timestamp } from '../time.ts'
import { diffFiles, fileDiff } from './diff.ts'
import { type PersonaVersion, sizeOf } from './persona.ts'

const version = z.object({
  version: z.int(),
  savedAt: timestamp,
  name: z.string(),
  characters: z.int(),
  tokens: z.int().meta({ description: 'An estimate.' }),
})

export const personaVersions = z.object({ versions: z.array(version), nextCursor: z.null() })

export const versionDetail = z.object({
  version,
  texts: z.array(z.object({ path: z.string(), text: z.string() })),
  against: z.int().nullable().meta({ description: 'The version the diff begins with; null for the first.' }),
  diff: z.array(fileDiff),
})

const show = ({ version, savedAt, name, files }: PersonaVersion) => ({ version, savedAt, name, ...sizeOf(files) })

/** @throws not-found when there are none: built-in personas have none, nor has another user's */
export function showVersions(kept: PersonaVersion[]): z.infer<typeof personaVersions> {
  if (kept.length === 0) throw notFound('persona of your own')
  return { versions: kept.map(show), nextCursor: null }
}

/** @throws not-found */
export function versionOf(kept: PersonaVersion[], wanted: number): PersonaVersion {
  const found = kept.find(({ version }) => version === wanted)
  if (!found) throw notFound('version that is still kept')
  return found
}

/** A version with what changed since another one, the one before it unless said. @throws not-found */
export function compareVersions(
  kept: PersonaVersion[],
  wanted: number,
  against: number | undefined,
): z.infer<typeof versionDetail> {
  const one = versionOf(kept, wanted)
  const from = against === undefined ? kept.find(({ version }) => version < wanted) : versionOf(kept, against)
  return {
    version: show(one),
    texts: one.files,
    against: from?.version ?? null,
    diff: diffFiles(from?.files ?? [], one.files),
  }
}

import * as z from 'zod'
import { timestamp } from '../time.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const skill = z
  .object({
    id: z.string().meta({ description: 'The slug.', example: 'daily-brief' }),
    name: z.string(),
    description: z.string(),
    version: z.string(),
    license: z.string(),
    sha256,
    enabled: z.boolean(),
    requires: z.object({ env: z.array(z.string()), bins: z.array(z.string()) }),
    allowedTools: z.array(z.string()),
    updatedAt: timestamp,
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof skill>

export const skillDetail = skill
  .extend({ body: z.string(), files: z.array(z.object({ path: z.string(), size: z.int(), sha256 })) })
  .meta({ id: 'SkillDetail' })

/** A first-party skill as the catalogue ships it, its files' texts included. */
export interface CatalogueSkill extends Omit<z.infer<typeof skillDetail>, 'enabled' | 'files'> {
  files: { path: string; size: number; sha256: string; text: string }[]
}

export function showSkill({ body: _, files: __, ...rest }: CatalogueSkill): Skill {
  return { ...rest, enabled: true }
}

export const showSkillDetail = (one: CatalogueSkill): z.infer<typeof skillDetail> => ({
  ...showSkill(one),
  body: one.body,
  files: one.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
})

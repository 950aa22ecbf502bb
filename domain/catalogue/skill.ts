import * as z from 'zod'
import { conflict, notFound } from '../errors.ts'
import { timestamp } from '../time.ts'
import { imageBins } from './bins.ts'
import type { Choices } from './ports.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const needs = z.object({ env: z.array(z.string()), bins: z.array(z.string()) })

export const skill = z
  .object({
    id: z.string().meta({ description: 'The slug.', example: 'daily-brief' }),
    name: z.string(),
    description: z.string(),
    version: z.string(),
    license: z.string(),
    sha256,
    enabled: z.boolean(),
    changed: z.boolean().meta({ description: 'Off because its files are no longer those that were enabled.' }),
    requires: needs,
    missing: needs.meta({ description: 'What it requires and the instance does not have.' }),
    allowedTools: z.array(z.string()),
    updatedAt: timestamp,
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof skill>

export const skillDetail = skill
  .extend({ body: z.string(), files: z.array(z.object({ path: z.string(), size: z.int(), sha256 })) })
  .meta({ id: 'SkillDetail' })

/** A first-party skill as the catalogue ships it, its files' texts included. */
export interface CatalogueSkill extends Omit<z.infer<typeof skillDetail>, 'enabled' | 'changed' | 'missing' | 'files'> {
  files: { path: string; size: number; sha256: string; text: string }[]
}

/** A user's word on a skill. One that is on is pinned to the files it was enabled with. */
export const skillChoice = z.object({ id: z.string(), enabled: z.boolean(), sha256, at: timestamp })
export type SkillChoice = z.infer<typeof skillChoice>

type Given = Pick<Choices, 'skills' | 'variables'>

export function missingOf(one: Pick<CatalogueSkill, 'requires'>, { variables }: Given): Skill['missing'] {
  return {
    env: one.requires.env.filter((name) => !variables.includes(name)),
    bins: one.requires.bins.filter((name) => !imageBins.includes(name)),
  }
}

const lacks = ({ env, bins }: Skill['missing']): boolean => env.length + bins.length > 0

/** On unless the user turned it off, if it needs no secrets; otherwise only as it was when the user turned it on. */
function stateOf(one: CatalogueSkill, given: Given): Pick<Skill, 'enabled' | 'changed'> {
  const choice = given.skills.find(({ id }) => id === one.id)
  if (!choice) return { enabled: one.requires.env.length === 0 && !lacks(missingOf(one, given)), changed: false }
  const changed = choice.enabled && choice.sha256 !== one.sha256
  return { enabled: choice.enabled && !changed && !lacks(missingOf(one, given)), changed }
}

/** The skills an agent gets at its next sync. */
export const enabledSkills = (all: CatalogueSkill[], given: Given): CatalogueSkill[] =>
  all.filter((one) => stateOf(one, given).enabled)

export function showSkill(one: CatalogueSkill, given: Given): Skill {
  const { body: _, files: __, ...rest } = one
  return { ...rest, ...stateOf(one, given), missing: missingOf(one, given) }
}

export const showSkillDetail = (one: CatalogueSkill, given: Given): z.infer<typeof skillDetail> => ({
  ...showSkill(one, given),
  body: one.body,
  files: one.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
})

/** @throws not-found */
export function skillById(all: CatalogueSkill[], id: string): CatalogueSkill {
  const found = all.find((one) => one.id === id)
  if (!found) throw notFound('skill')
  return found
}

/**
 * The user's choice of a skill, pinned to its present files.
 * @throws conflict naming what the instance lacks for a skill that is to be enabled
 */
export function chooseSkill(one: CatalogueSkill, enabled: boolean, given: Given, at: string): SkillChoice {
  const { env, bins } = missingOf(one, given)
  if (enabled && env.length > 0)
    throw conflict(`This skill needs ${env.join(', ')}. Set it under the instance's variables, then enable it.`)
  if (enabled && bins.length > 0)
    throw conflict(
      `This skill needs ${bins.join(', ')}, which the machine does not have: it cannot be enabled here. Choose another skill.`,
    )
  return { id: one.id, enabled, sha256: one.sha256, at }
}

interface Search {
  q?: string | undefined
  enabled?: boolean | undefined
  /** The slug to go on after. */
  after: string | null
  limit: number
}

/** A page of the skills that match, by slug: every word of `q` is somewhere in the name or the description. */
export function searchSkills(all: CatalogueSkill[], given: Given, { q, enabled, after, limit }: Search) {
  const wanted = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const found = all
    .filter((one) => wanted.every((word) => `${one.id} ${one.name} ${one.description}`.toLowerCase().includes(word)))
    .map((one) => showSkill(one, given))
    .filter((one) => (enabled === undefined || one.enabled === enabled) && (after === null || one.id > after))
  const skills = found.slice(0, limit)
  return { skills, next: found.length > limit ? (skills.at(-1)?.id ?? null) : null }
}

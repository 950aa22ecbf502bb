import * as z from 'zod'
import { conflict, notFound } from '../errors.ts'
import { sha256 } from '../sha256.ts'
import { timestamp } from '../timestamp.ts'
import { imageBinaries } from './image-binaries.ts'
import type { CataloguePersona } from './persona.ts'

export const slugPattern = /^[a-z0-9-]{1,64}$/

const needs = z.object({ env: z.array(z.string()), bins: z.array(z.string()) })

/** Declared access besides tools: hosts of other services, and folders or files of the volume. */
const skillAccess = z
  .object({
    network: z.array(z.string()).meta({ example: ['api.github.com'] }),
    reads: z.array(z.string()).meta({ example: ['notes/'] }),
    writes: z.array(z.string()).meta({ example: ['notes/today.md'] }),
  })
  .meta({
    id: 'SkillAccess',
    description: 'Its manifest’s declared access. The agent knows this declaration; nothing enforces it.',
  })

export const skill = z
  .object({
    id: z.string().meta({ description: 'The slug.', example: 'daily-brief' }),
    name: z.string(),
    description: z.string(),
    version: z.string(),
    license: z.string(),
    sha256,
    enabled: z.boolean(),
    changed: z.boolean().meta({ description: 'Whether it is off because its files changed after it was enabled.' }),
    requires: needs,
    compatibility: z
      .string()
      .nullable()
      .meta({ description: 'Its requirements on the agent’s program.', example: 'A shell' }),
    missing: needs.meta({ description: 'Its requirements that the instance lacks.' }),
    allowedTools: z.array(z.string()),
    access: skillAccess,
    size: z.int().meta({ description: 'Bytes of all its files.' }),
    updatedAt: timestamp,
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof skill>

export const skillDetail = skill
  .extend({
    body: z.string().meta({ description: 'The body of SKILL.md below its front matter, in Markdown.' }),
    files: z.array(z.object({ path: z.string(), size: z.int(), sha256 })),
    personas: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .meta({ description: 'Personas whose texts name it. While it is on, every persona can use it.' }),
  })
  .meta({ id: 'SkillDetail' })

export interface CatalogueSkill
  extends Omit<z.infer<typeof skillDetail>, 'enabled' | 'changed' | 'missing' | 'files' | 'personas'> {
  files: { path: string; size: number; sha256: string; text: string }[]
}

/** An enabled skill is pinned to the files it was enabled with. */
export const skillChoice = z.object({ id: z.string(), enabled: z.boolean(), sha256, at: timestamp })
export type SkillChoice = z.infer<typeof skillChoice>

export interface SkillChoices {
  skills: SkillChoice[]
  variables: string[]
}

const missingOf = ({ requires }: Pick<CatalogueSkill, 'requires'>, { variables }: SkillChoices): Skill['missing'] => ({
  env: requires.env.filter((name) => !variables.includes(name)),
  bins: requires.bins.filter((name) => !imageBinaries.includes(name)),
})

const lacks = ({ env, bins }: Skill['missing']): boolean => env.length + bins.length > 0

/** On unless turned off, if it needs no secrets; otherwise only in the version that the user turned on. */
function stateOf(skill: CatalogueSkill, choices: SkillChoices): Pick<Skill, 'enabled' | 'changed'> {
  const choice = choices.skills.find(({ id }) => id === skill.id)
  if (!choice) return { enabled: skill.requires.env.length === 0 && !lacks(missingOf(skill, choices)), changed: false }
  const changed = choice.enabled && choice.sha256 !== skill.sha256
  return { enabled: choice.enabled && !changed && !lacks(missingOf(skill, choices)), changed }
}

export const enabledSkills = (all: CatalogueSkill[], choices: SkillChoices): CatalogueSkill[] =>
  all.filter((skill) => stateOf(skill, choices).enabled)

export function showSkill(skill: CatalogueSkill, choices: SkillChoices): Skill {
  const { body: _, files: __, ...rest } = skill
  return { ...rest, ...stateOf(skill, choices), missing: missingOf(skill, choices) }
}

export const showSkillDetail = (
  skill: CatalogueSkill,
  choices: SkillChoices,
  personas: CataloguePersona[],
): z.infer<typeof skillDetail> => ({
  ...showSkill(skill, choices),
  body: skill.body,
  files: skill.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  personas: personas.filter((persona) => namesSkill(persona, skill.id)).map(({ id, name }) => ({ id, name })),
})

type PersonaTexts = Pick<CataloguePersona, 'name' | 'files'>

/** Skills whose list of personas changes with a persona; null before its creation or after its deletion. */
export const skillsListing = (
  skills: readonly CatalogueSkill[],
  before: PersonaTexts | null,
  after: PersonaTexts | null,
): CatalogueSkill[] => skills.filter(({ id }) => listedName(before, id) !== listedName(after, id))

const listedName = (persona: PersonaTexts | null, id: string): string | null =>
  persona && namesSkill(persona, id) ? persona.name : null

const namesSkill = ({ files }: PersonaTexts, id: string): boolean =>
  files.some(({ text }) =>
    text
      .toLowerCase()
      .split(/[^a-z0-9-]+/)
      .includes(id),
  )

/** @throws not-found */
export function skillById(all: CatalogueSkill[], id: string): CatalogueSkill {
  const found = all.find((skill) => skill.id === id)
  if (!found) throw notFound('skill')
  return found
}

/** Pins the present files. @throws conflict that names what the instance lacks for an enabled skill */
export function chooseSkill(skill: CatalogueSkill, enabled: boolean, choices: SkillChoices, at: string): SkillChoice {
  const { env, bins } = missingOf(skill, choices)
  if (enabled && env.length > 0)
    throw conflict(`This skill needs ${env.join(', ')}. Set it under the instance's variables, then enable it.`)
  if (enabled && bins.length > 0)
    throw conflict(
      `This skill needs ${bins.join(', ')}, which the machine does not have: it cannot be enabled here. Choose another skill.`,
    )
  return { id: skill.id, enabled, sha256: skill.sha256, at }
}

interface Search {
  q?: string | undefined
  enabled?: boolean | undefined
  after: string | null
  limit: number
}

/** Sorted by slug; every word of `q` must be in the name or the description. */
export function searchSkills(all: CatalogueSkill[], choices: SkillChoices, { q, enabled, after, limit }: Search) {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const matches = all
    .filter(({ id, name, description }) =>
      words.every((word) => `${id} ${name} ${description}`.toLowerCase().includes(word)),
    )
    .map((skill) => showSkill(skill, choices))
    .filter((skill) => (enabled === undefined || skill.enabled === enabled) && (after === null || skill.id > after))
  const skills = matches.slice(0, limit)
  return { skills, next: matches.length > limit ? (skills.at(-1)?.id ?? null) : null }
}

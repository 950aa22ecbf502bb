import * as z from 'zod'
import type { Catalogue } from '../../app/ports/catalogue.ts'
import { type PersonaVersion, persona, personaVersion } from '../../domain/catalogue/persona.ts'
import { keptVersions, maxPersonas } from '../../domain/catalogue/persona-limits.ts'
import { skillChoice, skillDetail } from '../../domain/catalogue/skill.ts'
import {
  change,
  changeInput,
  countInput,
  deleteInput,
  get,
  itemRange,
  plainDelete,
  queryAll,
  setting,
  transact,
} from '../dynamo/calls.ts'
import { itemAt } from '../dynamo/expressions.ts'
import { type Item, parse } from '../dynamo/item.ts'
import type { Env } from '../env.ts'
import { bundledJson } from './bundled-json.ts'

const skillFile = skillDetail.shape.files.element.extend({ text: z.string() })
const personaFile = z.object({ path: z.string(), text: z.string() })

const shipped = z.object({
  skills: z.array(
    skillDetail
      .omit({ enabled: true, changed: true, missing: true, personas: true })
      .extend({ files: z.array(skillFile) }),
  ),
  personas: z.array(persona.omit({ active: true, size: true }).extend({ files: z.array(personaFile) })),
})

const variables = z.object({ variables: z.array(z.object({ name: z.string() })) })

/**
 * The built-in catalogue, and per user `skill#…` (a choice), `persona#…` (an own persona's newest version) and
 * `version#…` (its last versions, in a fixed number of slots).
 */
export const catalogue = (env: Env): Catalogue => {
  const read = bundledJson(env, 'catalogue.json', shipped)
  const table = () => env.table('settings')

  const at = (userId: string, item: string) =>
    itemAt<keyof z.infer<typeof skillChoice> | keyof PersonaVersion>(table(), { userId, item })

  const counting = (userId: string, by: 1 | -1) =>
    countInput(table(), { userId, item: 'personas' }, by, by === 1 ? maxPersonas : undefined)

  const readVersions = (userId: string, prefix: string): Promise<PersonaVersion[]> =>
    queryAll(itemRange(table(), userId, prefix, `${prefix}~`), versionIn)

  const readAll = <T>(userId: string, prefix: string, schema: z.ZodType<T>): Promise<T[]> =>
    queryAll(itemRange(table(), userId, prefix, `${prefix}~`), (item) => parse(schema, item))

  return {
    skills: async () => (await read()).skills,
    personas: async () => (await read()).personas,

    async choices(userId) {
      const [skills, personas, kept] = await Promise.all([
        readAll(userId, 'skill#', skillChoice),
        readVersions(userId, 'persona#'),
        get(table(), { userId, item: 'variables' }),
      ])
      const names = kept ? parse(variables, kept).variables.map(({ name }) => name) : []
      return { skills, personas, variables: names }
    },

    async chooseSkill(userId, { id, enabled, sha256, at: chosenAt }, ...also) {
      await change({ ...at(userId, `skill#${id}`), ...setting({ id, enabled, sha256, at: chosenAt }) }, ...also)
      return true
    },

    async savePersona(userId, next, ...also) {
      const { update, values } = setting(next)
      const newest = {
        ...at(userId, `persona#${next.id}`),
        update,
        condition: next.version === 1 ? 'attribute_not_exists(#version)' : '#version = :before',
        values: { ...values, ...(next.version > 1 && { ':before': next.version - 1 }) },
      } as const
      const slot = { ...at(userId, slotOf(next.id, next.version)), update, values }
      const first = next.version === 1 ? [{ Update: counting(userId, 1) }] : []
      const written = await transact(
        [{ Update: changeInput(newest) }, { Update: changeInput(slot) }, ...first],
        ...also,
      )
      return written.done || isSame(written.refused[0], next)
    },

    async deletePersona(userId, { id, version }, ...also) {
      const first = Math.max(1, version - keptVersions + 1)
      const slots = Array.from({ length: version - first + 1 }, (_, i) => slotOf(id, first + i))
      const newest = {
        ...at(userId, `persona#${id}`),
        condition: '#version = :version',
        values: { ':version': version },
      } as const
      const older = slots.map((item) => ({ Delete: plainDelete(table(), { userId, item }) }))
      const parts = [{ Delete: deleteInput(newest) }, ...older, { Update: counting(userId, -1) }]
      return (await transact(parts, ...also)).done
    },

    versions: async (userId, personaId) =>
      (await readVersions(userId, `version#${personaId}#`)).sort((a, b) => b.version - a.version),
  }
}

/** The last versions use a fixed number of slots in turn. */
const slotOf = (id: string, version: number): string =>
  `version#${id}#${String(version % keptVersions).padStart(3, '0')}`

/** A version without a name is named like its id. */
const versionIn = (item: Item): PersonaVersion => parse(personaVersion, { ...(item.id && { name: item.id }), ...item })

/** Whether the item that refused a save is the saved one: a retry after a lost answer. */
const isSame = (item: Item | null | undefined, next: PersonaVersion): boolean =>
  Boolean(item && JSON.stringify(versionIn(item)) === JSON.stringify(personaVersion.parse(next)))

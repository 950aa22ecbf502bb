import * as z from 'zod'
import { keptVersions } from '../../domain/catalogue/caps.ts'
import { type PersonaVersion, personaVersion } from '../../domain/catalogue/persona.ts'
import type { Catalogue } from '../../domain/catalogue/ports.ts'
import { skillChoice } from '../../domain/catalogue/skill.ts'
import { change, changeInput, get, query, transact } from '../dynamo/calls.ts'
import { type Item, parse, toItem } from '../dynamo/item.ts'
import type { Env } from '../env.ts'
import { shippedCatalogue } from './shipped.ts'

const variables = z.object({ variables: z.array(z.object({ name: z.string() })) })

/**
 * What ships with this version, and per user `skill#…` (a choice), `persona#…` (an own persona's newest version) and
 * `version#…` (its last versions, in as many places as are kept).
 */
export const catalogue = (env: Env): Catalogue => {
  const read = shippedCatalogue(env)
  const table = () => env.table('settings')

  const below = async <T>(userId: string, prefix: string, schema: z.ZodType<T>): Promise<T[]> => {
    const found: T[] = []
    const asked = {
      TableName: table(),
      KeyConditionExpression: '#userId = :user AND begins_with(#item, :prefix)',
      ExpressionAttributeNames: { '#userId': 'userId', '#item': 'item' },
      ExpressionAttributeValues: toItem({ ':user': userId, ':prefix': prefix }),
      ConsistentRead: true,
    }
    for await (const item of query(asked)) found.push(parse(schema, item))
    return found
  }

  const versionChange = (userId: string, item: string, next: PersonaVersion, newest: boolean) => ({
    table: table(),
    key: { userId, item },
    update:
      'SET #id = :id, #name = :name, #description = :description, #version = :version, #savedAt = :savedAt, #files = :files',
    ...(newest && { condition: next.version === 1 ? 'attribute_not_exists(#version)' : '#version = :before' }),
    values: {
      ...Object.fromEntries(Object.entries(next).map(([name, value]) => [`:${name}`, value])),
      ...(newest && next.version > 1 && { ':before': next.version - 1 }),
    },
  })

  return {
    skills: async () => (await read()).skills,
    personas: async () => (await read()).personas,

    async choices(userId) {
      const [skills, personas, kept] = await Promise.all([
        below(userId, 'skill#', skillChoice),
        below(userId, 'persona#', personaVersion),
        get(table(), { userId, item: 'variables' }),
      ])
      const names = kept ? parse(variables, kept).variables.map(({ name }) => name) : []
      return { skills, personas, variables: names }
    },

    async chooseSkill(userId, { id, enabled, sha256, at }) {
      await change({
        table: table(),
        key: { userId, item: `skill#${id}` },
        update: 'SET #id = :id, #enabled = :enabled, #sha256 = :sha256, #at = :at',
        values: { ':id': id, ':enabled': enabled, ':sha256': sha256, ':at': at },
      })
    },

    async savePersona(userId, next) {
      const parts = [
        versionChange(userId, `persona#${next.id}`, next, true),
        versionChange(userId, placeOf(next.id, next.version), next, false),
      ]
      const written = await transact(parts.map((one) => ({ Update: changeInput(one) })))
      return written.done || isSame(written.refused[0], next)
    },

    async deletePersona(userId, { id, version }) {
      const first = Math.max(1, version - keptVersions + 1)
      const places = Array.from({ length: version - first + 1 }, (_, i) => placeOf(id, first + i))
      const at = (item: string) => ({ TableName: table(), Key: toItem({ userId, item }) })
      const newest = {
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: toItem({ ':version': version }),
      }
      const main = { Delete: { ...at(`persona#${id}`), ...newest } }
      return (await transact([main, ...places.map((item) => ({ Delete: at(item) }))])).done
    },

    versions: async (userId, personaId) =>
      (await below(userId, `version#${personaId}#`, personaVersion)).sort((a, b) => b.version - a.version),
  }
}

/** Where a version is kept: the last versions take as many places in turn. */
const placeOf = (id: string, version: number): string =>
  `version#${id}#${String(version % keptVersions).padStart(3, '0')}`

/** True when the item that refused a save is what was to be saved: an attempt whose answer was lost wrote it. */
const isSame = (item: Item | null | undefined, next: PersonaVersion): boolean =>
  Boolean(item && JSON.stringify(parse(personaVersion, item)) === JSON.stringify(personaVersion.parse(next)))

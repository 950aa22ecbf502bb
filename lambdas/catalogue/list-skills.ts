import * as z from 'zod'
import { searchSkills, skill, slugPattern } from '../../domain/catalogue/skill.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

/** Text in a query, a boolean from a tool. */
const flag = z.preprocess(
  (given) => (typeof given === 'string' ? (words.safeParse(given).data ?? given) : given),
  z.boolean(),
)
const words = z.stringbool()

export const listSkills = operation({
  id: 'listSkills',
  summary: 'List the skills for the agent',
  http: { method: 'GET', path: '/skills' },
  tool: {
    name: 'skills.list',
    title: 'List skills',
    description:
      'Lists the skills that the user’s agent can have, and which of them are enabled; q searches names and ' +
      'descriptions. Use it to find out what the agent can do or learn. Returns id, name, description, requirements ' +
      'and missing requirements of each.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:skills.read',
  viewed: 'account',
  input: z.strictObject({
    q: z.string().trim().max(100).optional().meta({ description: 'Words to look for in names and descriptions.' }),
    enabled: flag.optional().meta({ description: 'Only enabled skills, or only disabled ones.' }),
    cursor,
    limit: pageLimit,
  }),
  output: z.object({ skills: z.array(skill), nextCursor: z.string().nullable() }),
  errors: [],
  uses: { catalogue: 'read' },
  run: async ({ input, actor, deps }) => {
    const [all, choices] = await Promise.all([deps.catalogue.skills(), deps.catalogue.choices(actor.userId)])
    const { skills, next } = searchSkills(all, choices, { ...input, after: fromCursor(input.cursor, slugPattern) })
    return { skills, nextCursor: toCursor(next) }
  },
})

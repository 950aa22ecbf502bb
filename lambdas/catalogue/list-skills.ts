import * as z from 'zod'
import { showSkill, skill } from '../../domain/catalogue/skill.ts'
import { operation } from '../kit/operation.ts'

export const listSkills = operation({
  id: 'listSkills',
  summary: 'Skills the agent can use',
  http: { method: 'GET', path: '/skills' },
  tool: {
    name: 'skills.list',
    title: 'List skills',
    description:
      'Lists the skills of the catalogue, optionally only those whose name or description holds q. Use it to find out what the ' +
      'agent can be taught. Returns id, name, description and requirements of each.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:skills.read',
  limit: 'read',
  input: z.strictObject({ q: z.string().trim().max(100).optional() }),
  output: z.object({ skills: z.array(skill), nextCursor: z.string().nullable() }),
  errors: [],
  uses: ['catalogue'],
  run: async ({ input, deps }) => {
    const wanted = (input.q ?? '').toLowerCase()
    const found = (await deps.catalogue.skills()).filter((one) =>
      `${one.name} ${one.description}`.toLowerCase().includes(wanted),
    )
    return { skills: found.map(showSkill), nextCursor: null }
  },
})

import * as z from 'zod'
import { isAllowed } from '../../domain/actor.ts'
import { allPersonas } from '../../domain/catalogue/persona.ts'
import { showSkillDetail, skillById, skillDetail } from '../../domain/catalogue/skill.ts'
import { operation } from '../kit/operation.ts'

export const getSkill = operation({
  id: 'getSkill',
  summary: 'Get a skill with its instructions',
  http: { method: 'GET', path: '/skills/{id}' },
  tool: {
    name: 'skills.show',
    title: 'Show a skill',
    description:
      'Reads one skill of the catalogue by its id (its slug, from skills.list). Use it to see what a skill tells ' +
      'the agent and what it needs. Returns the skill with its instructions and the list of its files.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:skills.read',
  viewed: 'messages',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill: skillDetail }),
  errors: ['not-found'],
  uses: { catalogue: 'read' },
  run: async ({ input, actor, deps }) => {
    const { catalogue } = deps
    const [all, shipped, choices] = await Promise.all([
      catalogue.skills(),
      catalogue.personas(),
      catalogue.choices(actor.userId),
    ])
    // A caller without the scope for personas does not see them here.
    const personas = isAllowed(actor, 'mcp:personas.read') ? allPersonas(shipped, choices) : shipped
    return { skill: showSkillDetail(skillById(all, input.id), choices, personas) }
  },
})

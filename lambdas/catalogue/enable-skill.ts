import * as z from 'zod'
import { setSkill } from '../../app/catalogue/set-skill.ts'
import { skill } from '../../domain/catalogue/skill.ts'
import { operation } from '../kit/operation.ts'

export const enableSkill = operation({
  id: 'enableSkill',
  summary: 'Enable a skill for the agent',
  description:
    'The agent gets the skill at its next sync, pinned to its current files. The skill’s requirements must be met.',
  http: { method: 'POST', path: '/skills/{id}/enable' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill }),
  errors: ['not-found', 'conflict'],
  uses: { catalogue: 'write', events: 'write' },
  commits: true,
  run: async ({ input: { id }, actor, deps, now, outboxFor }) => ({
    skill: await setSkill(deps, actor.userId, { id, enabled: true }, now, outboxFor(id)),
  }),
})

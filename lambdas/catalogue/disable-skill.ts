import * as z from 'zod'
import { setSkill } from '../../app/catalogue/set-skill.ts'
import { skill } from '../../domain/catalogue/skill.ts'
import { operation } from '../kit/operation.ts'

export const disableSkill = operation({
  id: 'disableSkill',
  summary: 'Disable a skill for the agent',
  description: 'The agent loses the skill at its next sync.',
  http: { method: 'POST', path: '/skills/{id}/disable' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill }),
  errors: ['not-found'],
  uses: { catalogue: 'write', events: 'write' },
  commits: true,
  run: async ({ input: { id }, actor, deps, now, outboxFor }) => ({
    skill: await setSkill(deps, actor.userId, { id, enabled: false }, now, outboxFor(id)),
  }),
})

import * as z from 'zod'
import { setSkill } from '../../app/catalogue/set-skill.ts'
import { skill } from '../../domain/catalogue/skill.ts'
import { operation } from '../kit/operation.ts'

/** The parts that `enableSkill` and `disableSkill` share. */
export const skillChoice = {
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill }),
  uses: { catalogue: 'write', events: 'write' },
  commits: true,
} as const

export const enableSkill = operation({
  ...skillChoice,
  id: 'enableSkill',
  summary: 'Enable a skill for the agent',
  description:
    'The agent gets the skill at its next sync, pinned to its current files. The skill’s requirements must be met.',
  http: { method: 'POST', path: '/skills/{id}/enable' },
  errors: ['not-found', 'conflict'],
  run: async ({ input: { id }, actor, deps, now, outboxFor }) => ({
    skill: await setSkill(deps, actor.userId, { id, enabled: true }, now, outboxFor(id)),
  }),
})

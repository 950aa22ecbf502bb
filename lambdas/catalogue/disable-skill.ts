import { setSkill } from '../../app/catalogue/set-skill.ts'
import { operation } from '../kit/operation.ts'
import { skillChoice } from './enable-skill.ts'

export const disableSkill = operation({
  ...skillChoice,
  id: 'disableSkill',
  summary: 'Disable a skill for the agent',
  description: 'The agent loses the skill at its next sync.',
  http: { method: 'POST', path: '/skills/{id}/disable' },
  errors: ['not-found'],
  run: async ({ input: { id }, actor, deps, now, outboxFor }) => ({
    skill: await setSkill(deps, actor.userId, { id, enabled: false }, now, outboxFor(id)),
  }),
})

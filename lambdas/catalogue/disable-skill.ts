import * as z from 'zod'
import { chooseSkill, showSkill, skill, skillById } from '../../domain/catalogue/skill.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const disableSkill = operation({
  id: 'disableSkill',
  summary: 'Turn a skill off for the agent',
  description: 'It is gone from the agent after its next sync.',
  http: { method: 'POST', path: '/skills/{id}/disable' },
  auth: 'user',
  scope: 'api:instance',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill }),
  errors: ['not-found'],
  uses: ['catalogue', 'events'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const [all, choices] = await Promise.all([deps.catalogue.skills(), deps.catalogue.choices(userId)])
    const one = skillById(all, input.id)
    const choice = chooseSkill(one, false, choices, iso(now))
    await deps.catalogue.chooseSkill(userId, choice)
    await deps.events.record(userId, 'skill.changed', { skill: one.id, enabled: choice.enabled })
    return { skill: showSkill(one, { ...choices, skills: [choice] }) }
  },
})

import * as z from 'zod'
import { chooseSkill, showSkill, skill, skillById } from '../../domain/catalogue/skill.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const enableSkill = operation({
  id: 'enableSkill',
  summary: 'Turn a skill on for the agent',
  description: 'The agent gets it at its next sync, pinned to the files it has now. What it requires must be there.',
  http: { method: 'POST', path: '/skills/{id}/enable' },
  auth: 'user',
  scope: 'api:instance',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'daily-brief' }) }),
  output: z.object({ skill }),
  errors: ['not-found', 'conflict'],
  uses: ['catalogue', 'events'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const [all, choices] = await Promise.all([deps.catalogue.skills(), deps.catalogue.choices(userId)])
    const one = skillById(all, input.id)
    const choice = chooseSkill(one, true, choices, iso(now))
    await deps.catalogue.chooseSkill(userId, choice)
    await deps.events.record(userId, 'skill.changed', { skill: one.id, enabled: choice.enabled })
    return { skill: showSkill(one, { ...choices, skills: [choice] }) }
  },
})

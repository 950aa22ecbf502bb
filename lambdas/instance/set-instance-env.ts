import * as z from 'zod'
import { recordSkillsThatNeed } from '../../app/catalogue/set-skill.ts'
import { conflict } from '../../domain/errors.ts'
import { changeVariables, namesThatCameOrWent, variable, variableChanges } from '../../domain/instance/variables.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const setInstanceEnv = operation({
  id: 'setInstanceEnv',
  summary: 'Set or remove environment variables',
  description:
    'Variables that you do not name stay unchanged. The agent gets the changes when it next starts: refresh the ' +
    'instance.',
  http: { method: 'PUT', path: '/instance/env' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    variables: variableChanges.meta({
      description: 'Name to value, or to null to remove it.',
      example: { GITHUB_TOKEN: 'ghp_…', OLD_NAME: null },
    }),
  }),
  output: z.object({ variables: z.array(variable) }),
  errors: ['conflict'],
  commits: true,
  uses: { catalogue: 'read', events: 'write', variables: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { version, variables: present } = await deps.variables.find(userId)
    const variables = changeVariables(present, input.variables, iso(now))
    if (!(await deps.variables.save(userId, variables, input.variables, version, outboxFor(userId))))
      throw conflict('Somebody else changed the variables at the same moment. Read them and try again.')
    await recordSkillsThatNeed(deps, userId, namesThatCameOrWent(present, variables))
    return { variables }
  },
})

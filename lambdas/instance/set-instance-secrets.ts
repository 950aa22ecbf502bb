import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { changeSecrets, instanceSecret, secretChanges } from '../../domain/instance/secrets.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const setInstanceSecrets = operation({
  id: 'setInstanceSecrets',
  summary: 'Set or remove secrets that the agent can use but not read',
  description:
    'The agent calls a host through its machine, which puts the value into the request. A secret is always set as a ' +
    'whole, with its value; secrets that you do not name stay unchanged. A running machine gets the changes within ' +
    'a minute.',
  http: { method: 'PUT', path: '/instance/secrets' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    secrets: secretChanges.meta({
      description: 'Name to secret, or to null to remove it.',
      example: { github: { value: 'ghp_example1234', hosts: ['api.github.com'] }, old: null },
    }),
  }),
  output: z.object({ secrets: z.array(instanceSecret) }),
  errors: ['conflict'],
  commits: true,
  uses: { agentSecrets: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { version, secrets: present } = await deps.agentSecrets.find(userId)
    const secrets = changeSecrets(present, input.secrets, iso(now))
    if (!(await deps.agentSecrets.save(userId, secrets, input.secrets, version, outboxFor(userId))))
      throw conflict('Somebody else changed the secrets at the same moment. Read them and try again.')
    return { secrets }
  },
})

import * as z from 'zod'
import { saveVersion } from '../../app/catalogue/personas.ts'
import { nextVersion, persona, personaDraft } from '../../domain/catalogue/persona.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const savePersona = operation({
  id: 'savePersona',
  summary: 'Save a persona of your own',
  description:
    'Each save creates a version. The request names the version that was edited. If that is not the newest one, the ' +
    'request gets 409 with both versions in `details`, and nothing is lost. The agent uses the new version of the ' +
    'active persona from its next turn.',
  http: { method: 'PUT', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.write',
  input: personaDraft,
  output: z.object({ persona }),
  errors: ['conflict'],
  uses: { catalogue: 'write', instances: 'write', events: 'write' },
  commits: true,
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { catalogue } = deps
    const [shipped, { personas }] = await Promise.all([catalogue.personas(), catalogue.choices(userId)])
    const before = personas.find(({ id }) => id === input.id) ?? null
    const next = nextVersion(input, shipped, personas, iso(now))
    return { persona: await saveVersion(deps, userId, next, before, outboxFor(input.id)) }
  },
})

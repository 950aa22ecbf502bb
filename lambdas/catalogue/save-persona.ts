import * as z from 'zod'
import { saveVersion } from '../../app/catalogue/personas.ts'
import { nextVersion, persona, personaDraft } from '../../domain/catalogue/persona.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const savePersona = operation({
  id: 'savePersona',
  summary: 'Write a persona of your own',
  description:
    'Each save makes a version. It says which one was edited: another newest one is 409, with both in `details`, and nothing is lost. ' +
    'When the persona is the active one, the agent has it from its next turn on.',
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

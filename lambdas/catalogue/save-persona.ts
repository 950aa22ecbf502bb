import * as z from 'zod'
import {
  nextVersion,
  ownPersonaId,
  persona,
  personaDraft,
  savedMeanwhile,
  showPersona,
} from '../../domain/catalogue/persona.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const savePersona = operation({
  id: 'savePersona',
  summary: 'Write a persona of your own',
  description: 'Each save makes a version. When the persona is the active one, the agent has it from its next turn on.',
  http: { method: 'PUT', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.write',
  limit: 'write',
  input: z.strictObject({ id: ownPersonaId, ...personaDraft }),
  output: z.object({ persona }),
  errors: ['conflict'],
  uses: ['catalogue', 'instances', 'events'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const { catalogue, instances, events } = deps
    const [shipped, { personas }] = await Promise.all([catalogue.personas(), catalogue.choices(userId)])
    const next = nextVersion(input, shipped, personas, iso(now))
    if (!(await catalogue.savePersona(userId, next))) throw savedMeanwhile()
    const [instance] = await Promise.all([
      instances.find(userId),
      events.record(userId, 'persona.changed', { persona: next.id, version: next.version }),
    ])
    const { savedAt: _, ...saved } = next
    return { persona: showPersona({ ...saved, builtIn: false }, instance?.persona ?? '') }
  },
})

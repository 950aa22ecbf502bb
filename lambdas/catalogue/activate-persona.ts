import * as z from 'zod'
import { allPersonas, persona, personaById, showPersonas } from '../../domain/catalogue/persona.ts'
import { notFound } from '../../domain/errors.ts'
import { pointBefore } from '../../domain/files/point-before.ts'
import { operation } from '../kit/operation.ts'

export const activatePersona = operation({
  id: 'activatePersona',
  summary: 'Give the agent a persona',
  http: { method: 'POST', path: '/personas/{id}/activate' },
  tool: {
    name: 'personas.activate',
    title: 'Activate a persona',
    description:
      'Makes the user’s agent take on a persona (ids come from personas.list) from its next turn on, without a restart. Use it when the user asks for another manner or role. Returns the personas with the active one marked.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:personas.write',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'default' }) }),
  output: z.object({ personas: z.array(persona) }),
  errors: ['not-found'],
  uses: ['catalogue', 'instances', 'events', 'restorePoints', 'tasks'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const [shipped, choices, before] = await Promise.all([
      deps.catalogue.personas(),
      deps.catalogue.choices(userId),
      deps.instances.find(userId),
    ])
    const all = allPersonas(shipped, choices)
    const { id } = personaById(all, input.id)
    if (before?.persona !== id) await pointBefore(deps, before, 'persona', now)
    const instance = await deps.instances.setPersona(userId, id)
    if (!instance) throw notFound('instance; subscribe to a plan to get one')
    await deps.events.record(userId, 'persona.changed', { persona: id })
    return { personas: showPersonas(all, id) }
  },
})

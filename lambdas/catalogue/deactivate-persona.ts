import * as z from 'zod'
import { allPersonas, defaultPersona, persona, personaById, showPersonas } from '../../domain/catalogue/persona.ts'
import { pointBefore } from '../../domain/files/point-before.ts'
import { operation } from '../kit/operation.ts'

export const deactivatePersona = operation({
  id: 'deactivatePersona',
  summary: 'Take a persona off the agent',
  http: { method: 'POST', path: '/personas/{id}/deactivate' },
  tool: {
    name: 'personas.deactivate',
    title: 'Deactivate a persona',
    description:
      'Takes a persona off the user’s agent, which goes back to the default one from its next turn on. Use it when the user is done with a role. Deactivating one that is not active changes nothing. Returns the personas with the active one marked.',
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
    const { catalogue, instances, events } = deps
    const [shipped, choices, instance] = await Promise.all([
      catalogue.personas(),
      catalogue.choices(userId),
      instances.find(userId),
    ])
    const all = allPersonas(shipped, choices)
    const { id } = personaById(all, input.id)
    if (instance?.persona !== id || id === defaultPersona) return { personas: showPersonas(all, instance?.persona) }
    await pointBefore(deps, instance, 'persona', now)
    await instances.setPersona(userId, defaultPersona)
    await events.record(userId, 'persona.changed', { persona: defaultPersona })
    return { personas: showPersonas(all, defaultPersona) }
  },
})

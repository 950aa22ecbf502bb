import * as z from 'zod'
import { defaultPersona, persona, showPersona } from '../../domain/catalogue/persona.ts'
import { notFound } from '../../domain/errors.ts'
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
  uses: ['catalogue', 'instances', 'events'],
  run: async ({ input, actor, deps }) => {
    const [all, found] = await Promise.all([deps.catalogue.personas(), deps.instances.find(actor.userId)])
    if (!all.some((one) => one.id === input.id)) throw notFound('persona')
    const active = found?.persona === input.id
    const instance = active ? await deps.instances.setPersona(actor.userId, defaultPersona) : found
    if (active) await deps.events.record(actor.userId, 'persona.changed', { persona: defaultPersona })
    return { personas: all.map((one) => showPersona(one, instance?.persona ?? defaultPersona)) }
  },
})

import { readPersonas, setPersona } from '../../app/catalogue/personas.ts'
import { defaultPersona, personaById, showPersonas } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'
import { personaChoice } from './persona-choice.ts'

export const deactivatePersona = operation({
  ...personaChoice,
  id: 'deactivatePersona',
  summary: 'Deactivate a persona',
  http: { method: 'POST', path: '/personas/{id}/deactivate' },
  tool: {
    name: 'personas.deactivate',
    title: 'Deactivate a persona',
    description:
      'Returns the user’s agent to the default persona from its next turn. Use it when the user no longer needs a ' +
      'role. Deactivating a persona that is not active changes nothing. Returns the personas with the active one ' +
      'marked.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { all, instance } = await readPersonas(deps, userId)
    const { id } = personaById(all, input.id)
    const outbox = outboxFor(id)
    if (instance?.persona !== id || id === defaultPersona) return { personas: showPersonas(all, instance?.persona) }
    await setPersona(deps, userId, instance, defaultPersona, now, outbox)
    await deps.events.record(userId, 'persona.changed', { persona: defaultPersona })
    return { personas: showPersonas(all, defaultPersona) }
  },
})

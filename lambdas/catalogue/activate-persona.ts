import { readPersonas, setPersona } from '../../app/catalogue/personas.ts'
import { personaById, showPersonas } from '../../domain/catalogue/persona.ts'
import { noInstance } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'
import { personaChoice } from './persona-choice.ts'

export const activatePersona = operation({
  ...personaChoice,
  id: 'activatePersona',
  summary: 'Activate a persona',
  http: { method: 'POST', path: '/personas/{id}/activate' },
  tool: {
    name: 'personas.activate',
    title: 'Activate a persona',
    description:
      'Gives the user’s agent a persona (ids come from personas.list) from its next turn, without a restart. Use it ' +
      'when the user asks for another manner or role. Returns the personas with the active one marked.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { all, instance } = await readPersonas(deps, userId)
    const { id } = personaById(all, input.id)
    const active = await setPersona(deps, userId, instance, id, now, outboxFor(id))
    if (!active) throw noInstance()
    await deps.events.record(userId, 'persona.changed', { persona: id })
    return { personas: showPersonas(all, id) }
  },
})

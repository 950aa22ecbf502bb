import * as z from 'zod'
import { readPersonas, setPersona } from '../../app/catalogue/personas.ts'
import { recordSkillsThatList } from '../../app/catalogue/set-skill.ts'
import { defaultPersona, deletedTooLate, ownPersona, persona, showPersonas } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'

export const deletePersona = operation({
  id: 'deletePersona',
  summary: 'Delete a persona of your own, with all its versions',
  description: 'If the persona is active, the agent first switches to the default persona.',
  http: { method: 'DELETE', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'night-editor' }) }),
  output: z.object({ personas: z.array(persona) }),
  errors: ['not-found', 'conflict'],
  uses: { catalogue: 'write', instances: 'write', events: 'write', restorePoints: 'write', tasks: 'write' },
  commits: true,
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const { shipped, own, all, instance } = await readPersonas(deps, userId)
    const deleted = ownPersona(input.id, shipped, own)
    const wasActive = instance?.persona === deleted.id
    if (wasActive) await setPersona(deps, userId, instance, defaultPersona, now)
    if (!(await deps.catalogue.deletePersona(userId, deleted, outboxFor(deleted.id)))) throw deletedTooLate()
    const active = wasActive ? defaultPersona : (instance?.persona ?? defaultPersona)
    await deps.events.record(userId, 'persona.changed', { persona: active, deleted: deleted.id })
    await recordSkillsThatList(deps, userId, deleted, null)
    return {
      personas: showPersonas(
        all.filter(({ id }) => id !== deleted.id),
        active,
      ),
    }
  },
})

import * as z from 'zod'
import {
  allPersonas,
  defaultPersona,
  ownPersona,
  persona,
  savedMeanwhile,
  showPersonas,
} from '../../domain/catalogue/persona.ts'
import { pointBefore } from '../../domain/files/point-before.ts'
import { operation } from '../kit/operation.ts'

export const deletePersona = operation({
  id: 'deletePersona',
  summary: 'Delete a persona of your own, with all its versions',
  description: 'When it is the active one, the agent goes back to the default persona first.',
  http: { method: 'DELETE', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.write',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'night-editor' }) }),
  output: z.object({ personas: z.array(persona) }),
  errors: ['not-found', 'conflict'],
  uses: ['catalogue', 'instances', 'events', 'restorePoints', 'tasks'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const { catalogue, instances, events } = deps
    const [shipped, { personas: own }, instance] = await Promise.all([
      catalogue.personas(),
      catalogue.choices(userId),
      instances.find(userId),
    ])
    const gone = ownPersona(input.id, shipped, own)
    const left = allPersonas(shipped, { personas: own.filter((one) => one !== gone) })
    const before = instance?.persona ?? defaultPersona
    const active = before === gone.id ? defaultPersona : before
    if (active !== before) {
      await pointBefore(deps, instance, 'persona', now)
      await instances.setPersona(userId, defaultPersona)
    }
    if (!(await catalogue.deletePersona(userId, gone))) throw savedMeanwhile()
    await events.record(userId, 'persona.changed', { persona: active, deleted: gone.id })
    return { personas: showPersonas(left, active) }
  },
})

import * as z from 'zod'
import { allPersonas, persona, personaById, showPersona } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'

export const getPersona = operation({
  id: 'getPersona',
  summary: 'One persona with its texts',
  http: { method: 'GET', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.read',
  limit: 'read',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'default' }) }),
  output: z.object({ persona, texts: z.array(z.object({ path: z.string(), text: z.string() })) }),
  errors: ['not-found'],
  uses: ['catalogue', 'instances'],
  run: async ({ input, actor: { userId }, deps }) => {
    const { catalogue, instances } = deps
    const [shipped, choices, instance] = await Promise.all([
      catalogue.personas(),
      catalogue.choices(userId),
      instances.find(userId),
    ])
    const one = personaById(allPersonas(shipped, choices), input.id)
    return { persona: showPersona(one, instance?.persona ?? ''), texts: one.files }
  },
})

import * as z from 'zod'
import { readPersonas } from '../../app/catalogue/personas.ts'
import { persona, personaById, showPersona } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'

export const getPersona = operation({
  id: 'getPersona',
  summary: 'Get a persona with its texts',
  http: { method: 'GET', path: '/personas/{id}' },
  auth: 'user',
  scope: 'mcp:personas.read',
  viewed: 'messages',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'default' }) }),
  output: z.object({ persona, texts: z.array(z.object({ path: z.string(), text: z.string() })) }),
  errors: ['not-found'],
  uses: { catalogue: 'read', instances: 'read' },
  run: async ({ input, actor, deps }) => {
    const { all, instance } = await readPersonas(deps, actor.userId)
    const found = personaById(all, input.id)
    return { persona: showPersona(found, instance?.persona ?? ''), texts: found.files }
  },
})

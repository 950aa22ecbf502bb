import * as z from 'zod'
import { defaultPersona, persona, showPersona } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'

export const listPersonas = operation({
  id: 'listPersonas',
  summary: 'Personas the agent can take on',
  http: { method: 'GET', path: '/personas' },
  tool: {
    name: 'personas.list',
    title: 'List personas',
    description:
      'Lists the personas the user’s agent can take on and which one is active. Use it before activating one. Returns id, name, ' +
      'description and sizes of each.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:personas.read',
  limit: 'read',
  input: z.strictObject({}),
  output: z.object({ personas: z.array(persona), nextCursor: z.string().nullable() }),
  errors: [],
  uses: ['catalogue', 'instances'],
  run: async ({ actor, deps }) => {
    const [all, instance] = await Promise.all([deps.catalogue.personas(), deps.instances.find(actor.userId)])
    return { personas: all.map((one) => showPersona(one, instance?.persona ?? defaultPersona)), nextCursor: null }
  },
})

import * as z from 'zod'
import { allPersonas, persona, showPersonas } from '../../domain/catalogue/persona.ts'
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
  run: async ({ actor: { userId }, deps }) => {
    const { catalogue, instances } = deps
    const [shipped, choices, instance] = await Promise.all([
      catalogue.personas(),
      catalogue.choices(userId),
      instances.find(userId),
    ])
    return { personas: showPersonas(allPersonas(shipped, choices), instance?.persona), nextCursor: null }
  },
})

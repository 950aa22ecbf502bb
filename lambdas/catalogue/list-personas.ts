import * as z from 'zod'
import { readPersonas } from '../../app/catalogue/personas.ts'
import { persona, showPersonas } from '../../domain/catalogue/persona.ts'
import { operation } from '../kit/operation.ts'

export const listPersonas = operation({
  id: 'listPersonas',
  summary: 'List the personas for the agent',
  http: { method: 'GET', path: '/personas' },
  tool: {
    name: 'personas.list',
    title: 'List personas',
    description:
      'Lists the personas for the user’s agent and which one is active. Use it before activating one. Returns id, ' +
      'name, description and sizes of each.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:personas.read',
  viewed: 'messages',
  output: z.object({ personas: z.array(persona) }),
  uses: { catalogue: 'read', instances: 'read' },
  run: async ({ actor, deps }) => {
    const { all, instance } = await readPersonas(deps, actor.userId)
    return { personas: showPersonas(all, instance?.persona) }
  },
})

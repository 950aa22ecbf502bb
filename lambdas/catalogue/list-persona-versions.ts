import * as z from 'zod'
import { personaVersions, showVersions } from '../../domain/catalogue/persona-versions.ts'
import { operation } from '../kit/operation.ts'

export const listPersonaVersions = operation({
  id: 'listPersonaVersions',
  summary: 'List the versions of a persona of your own, newest first',
  http: { method: 'GET', path: '/personas/{id}/versions' },
  auth: 'user',
  scope: 'mcp:personas.read',
  viewed: 'messages',
  input: z.strictObject({ id: z.string().max(100).meta({ example: 'night-editor' }) }),
  output: personaVersions,
  errors: ['not-found'],
  uses: { catalogue: 'read' },
  run: async ({ input, actor, deps }) => showVersions(await deps.catalogue.versions(actor.userId, input.id)),
})

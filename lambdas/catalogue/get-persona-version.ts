import * as z from 'zod'
import { compareVersions, versionDetail } from '../../domain/catalogue/persona-versions.ts'
import { operation } from '../kit/operation.ts'

const version = z.coerce.number().int().min(1)

export const getPersonaVersion = operation({
  id: 'getPersonaVersion',
  summary: 'Get a version of a persona of your own, with its changes',
  description: 'The diff compares this version with `against`, by default the version before it.',
  http: { method: 'GET', path: '/personas/{id}/versions/{version}' },
  auth: 'user',
  scope: 'mcp:personas.read',
  viewed: 'messages',
  input: z.strictObject({
    id: z.string().max(100).meta({ example: 'night-editor' }),
    version: version.meta({ description: 'Its number; the first is 1.', example: 2 }),
    against: version.optional().meta({ description: 'The version to compare with. Default: the previous one.' }),
  }),
  output: versionDetail,
  errors: ['not-found'],
  uses: { catalogue: 'read' },
  run: async ({ input, actor, deps }) =>
    compareVersions(await deps.catalogue.versions(actor.userId, input.id), input.version, input.against),
})

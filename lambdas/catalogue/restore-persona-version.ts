import * as z from 'zod'
import { saveVersion } from '../../app/catalogue/personas.ts'
import { nextVersion, persona } from '../../domain/catalogue/persona.ts'
import { versionOf } from '../../domain/catalogue/persona-versions.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const restorePersonaVersion = operation({
  id: 'restorePersonaVersion',
  summary: 'Restore an earlier version of a persona of your own',
  description: 'Saves the earlier texts as a new version, so nothing is lost.',
  http: { method: 'POST', path: '/personas/{id}/versions/{version}/restore' },
  auth: 'user',
  scope: 'mcp:personas.write',
  input: z.strictObject({
    id: z.string().max(100).meta({ example: 'night-editor' }),
    version: z.coerce.number().int().min(1).meta({ description: 'Its number; the first is 1.', example: 1 }),
  }),
  output: z.object({ persona }),
  errors: ['not-found', 'conflict'],
  uses: { catalogue: 'write', instances: 'write', events: 'write' },
  commits: true,
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const kept = await deps.catalogue.versions(userId, input.id)
    const { id, name, description, files } = versionOf(kept, input.version)
    const draft = { id, name, description, files, basedOn: kept[0]?.version ?? 0 }
    const next = nextVersion(draft, [], kept.slice(0, 1), iso(now))
    return { persona: await saveVersion(deps, userId, next, kept[0] ?? null, outboxFor(input.id)) }
  },
})

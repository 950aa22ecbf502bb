import * as z from 'zod'
import { nextVersion, persona, savedMeanwhile, showPersona } from '../../domain/catalogue/persona.ts'
import { versionOf } from '../../domain/catalogue/versions.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const restorePersonaVersion = operation({
  id: 'restorePersonaVersion',
  summary: 'Go back to an earlier version of a persona of your own',
  description: 'Saves the earlier texts as a new version, so that nothing is lost.',
  http: { method: 'POST', path: '/personas/{id}/versions/{version}/restore' },
  auth: 'user',
  scope: 'mcp:personas.write',
  limit: 'write',
  input: z.strictObject({
    id: z.string().max(100).meta({ example: 'night-editor' }),
    version: z.coerce.number().int().min(1).meta({ example: 1 }),
  }),
  output: z.object({ persona }),
  errors: ['not-found', 'conflict'],
  uses: ['catalogue', 'instances', 'events'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const { catalogue, instances, events } = deps
    const kept = await catalogue.versions(userId, input.id)
    const next = nextVersion(versionOf(kept, input.version), [], kept.slice(0, 1), iso(now))
    if (!(await catalogue.savePersona(userId, next))) throw savedMeanwhile()
    const [instance] = await Promise.all([
      instances.find(userId),
      events.record(userId, 'persona.changed', { persona: next.id, version: next.version }),
    ])
    const { savedAt: _, ...saved } = next
    return { persona: showPersona({ ...saved, builtIn: false }, instance?.persona ?? '') }
  },
})

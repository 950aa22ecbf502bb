import * as z from 'zod'
import { agentConfig, agentFile, filesOf, matches } from '../../domain/agent/files.ts'
import { equipmentOf } from '../../domain/catalogue/equipment.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const getAgentFiles = operation({
  id: 'getAgentFiles',
  summary: "The machine's configuration: persona, skills, model",
  description:
    'Send the last `etag` as If-None-Match; while nothing changed the answer is only `{ etag, unchanged: true }`.',
  http: { method: 'GET', path: '/agent/files' },
  auth: 'files',
  limit: 'agent',
  input: z.strictObject({}),
  output: z.object({
    etag: z.string(),
    unchanged: z.boolean(),
    config: agentConfig.optional(),
    files: z.array(agentFile).optional(),
  }),
  errors: ['not-found'],
  uses: ['instances', 'catalogue'],
  run: async ({ actor, deps, request }) => {
    const [instance, { personas, skills }] = await Promise.all([
      deps.instances.find(actor.userId),
      equipmentOf(deps, actor.userId),
    ])
    if (!instance) throw notFound('instance')
    const { etag, config, files } = await filesOf(instance, personas, skills)
    if (matches(request.headers['if-none-match'], etag)) return { etag, unchanged: true }
    return { etag, unchanged: false, config, files }
  },
})

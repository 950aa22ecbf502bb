import * as z from 'zod'
import { agentConfig, agentFile, filesOf, matches } from '../../domain/agent/files.ts'
import { equipmentOf } from '../../domain/catalogue/equipment.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const getAgentFiles = operation({
  id: 'getAgentFiles',
  summary: "The machine's configuration: persona, skills, model, variables",
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
    variables: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'What the user set for the agent’s environment.' }),
  }),
  errors: ['not-found'],
  uses: ['instances', 'catalogue', 'variables'],
  run: async ({ actor, deps, request }) => {
    const [instance, { personas, skills }, values] = await Promise.all([
      deps.instances.find(actor.userId),
      equipmentOf(deps, actor.userId),
      deps.variables.values(actor.userId),
    ])
    if (!instance) throw notFound('instance')
    const { etag, ...rest } = await filesOf(instance, personas, skills, values)
    if (matches(request.headers['if-none-match'], etag)) return { etag, unchanged: true }
    return { etag, unchanged: false, ...rest }
  },
})

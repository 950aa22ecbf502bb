import * as z from 'zod'
import { operation } from '../kit/operation.ts'

const entry = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  context_window: z.int().nullable(),
})

export const listMachineModels = operation({
  id: 'listMachineModels',
  summary: 'Models a machine can call, in the shape of the OpenAI API',
  http: { method: 'GET', path: '/llm/proxy/v1/models' },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  output: z.object({ object: z.literal('list'), data: z.array(entry) }).meta({ id: 'ModelList' }),
  uses: { models: 'read', wallets: 'write' },
  run: async ({ deps, admit }) => {
    await admit()
    const data = (await deps.models.list()).map(({ id, provider, contextTokens }) => ({
      id,
      object: 'model' as const,
      created: 0,
      owned_by: provider,
      context_window: contextTokens,
    }))
    return { object: 'list' as const, data }
  },
})

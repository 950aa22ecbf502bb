import * as z from 'zod'
import { model, showModel } from '../../domain/models/model.ts'
import { operation } from '../kit/operation.ts'

export const listModels = operation({
  id: 'listModels',
  summary: 'List the models for instances, with prices',
  http: { method: 'GET', path: '/models' },
  auth: 'none',
  limit: null,
  output: z.object({ models: z.array(model) }),
  uses: { models: 'read' },
  run: async ({ deps }) => ({ models: (await deps.models.list()).map(showModel) }),
})

import * as z from 'zod'
import { checkModel } from '../../app/models/check-model.ts'
import { noInstance } from '../../domain/errors.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const setInstanceModel = operation({
  id: 'setInstanceModel',
  summary: 'Choose the default model',
  http: { method: 'POST', path: '/instance/model' },
  tool: {
    name: 'instance.setModel',
    title: 'Set the default model',
    description:
      'Sets the model that the user’s agent calls by default, as provider/model (GET /models lists them with ' +
      'prices). Takes effect with the next turn, without a restart. Returns the instance.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.write',
  input: z.strictObject({ model: z.string().min(1).max(200).meta({ example: 'local/echo' }) }),
  output: changed,
  errors: ['not-found'],
  commits: true,
  uses: { events: 'write', instances: 'write', models: 'read' },
  run: async ({ input: { model }, actor: { userId }, deps, outboxFor }) => {
    if (model !== 'default') await checkModel(deps.models, model)
    const found = await deps.instances.find(userId)
    const event = deps.events.entry(userId, 'instance.changed', { model })
    const instance = found && (await deps.instances.setModel(userId, model, outboxFor(found.id), event))
    if (!instance) throw noInstance()
    return { instance: showInstance(instance) }
  },
})

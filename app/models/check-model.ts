import { invalid } from '../../domain/errors.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import type { Models } from '../ports/models.ts'

/** Null if a name, also of an earlier choice, is no model that can reply. */
export async function findReplyModel(models: Models, id: string): Promise<PricedModel | null> {
  const found = await models.find(id)
  return found && !isEmbedding(found) ? found : null
}

/** @throws validation */
export async function checkModel(models: Models, id: string): Promise<void> {
  if (!(await findReplyModel(models, id)))
    throw invalid('model', 'it is unknown or has no price. GET /models lists the models.')
}

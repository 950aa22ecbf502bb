import type { Variables } from '../../../app/ports/instance.ts'
import { variable } from '../../../domain/instance/variables.ts'
import type { Env } from '../../env.ts'
import { sealedItem } from './sealed.ts'

export const variables = (env: Env): Variables => {
  const { find, save, values } = sealedItem(env, 'variables', variable)
  return {
    async find(userId) {
      const { version, records } = await find(userId)
      return { version, variables: records }
    },
    save,
    values,
  }
}

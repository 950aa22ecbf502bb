import type { AgentSecrets } from '../../../app/ports/instance.ts'
import { instanceSecret, sealedSecret } from '../../../domain/instance/secrets.ts'
import type { Env } from '../../env.ts'
import { sealedItem } from './sealed.ts'

/** Stores the public part in clear text, and each value sealed with its hosts. */
export const agentSecrets = (env: Env): AgentSecrets => {
  const { find, save, values } = sealedItem(env, 'secrets', instanceSecret, 'secret ')
  return {
    async find(userId) {
      const { version, records } = await find(userId)
      return { version, secrets: records }
    },
    save: (userId, next, changes, version, ...also) =>
      save(
        userId,
        next,
        Object.fromEntries(
          Object.entries(changes).map(([name, change]) => [name, change && JSON.stringify(sealedSecret.parse(change))]),
        ),
        version,
        ...also,
      ),
    async values(userId) {
      const open = Object.entries(await values(userId))
      return open.map(([name, text]) => ({ name, ...sealedSecret.parse(JSON.parse(text)) }))
    },
  }
}

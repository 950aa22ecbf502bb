import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ports } from '../../../../adapters/ports.ts'
import type { Models } from '../../../../app/ports/models.ts'
import type { Call } from './call.ts'

/** The call on whose behalf code runs. */
export const asCall = new AsyncLocalStorage<Call>()

/** The models port, which reports the progress of each response to its call. */
export const watchedModels = (models: Models): Models => ({
  ...models,
  async call(model, request, signal) {
    const call = asCall.getStore()
    signal.addEventListener('abort', () => {
      if (call && call.state !== 'done') call.state = 'ending'
      call?.changed()
    })
    const response = await models.call(model, request, signal)
    if (!call || response.status !== 200) return response
    const { answer } = call
    call.headSeen = true
    if (call.state === 'starting') call.state = 'waiting'
    call.changed()
    return {
      ...response,
      read: async (onChunk) => {
        await response.read((chunk) => {
          if (answer) answer.read += chunk.length
          call.changed()
          return onChunk(chunk)
        })
        if (answer) answer.readWhole = true
      },
    }
  },
})

export const watchedWallets = (wallets: Ports['wallets']): Ports['wallets'] => ({
  ...wallets,
  async hold(...asked) {
    const result = await wallets.hold(...asked)
    const call = asCall.getStore()
    if (call && result.held) call.heldMicros = result.micros
    return result
  },
})

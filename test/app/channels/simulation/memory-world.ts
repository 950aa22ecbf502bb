import type { Ports } from '../../../../adapters/ports.ts'
import type { EpisodeOptions, Store } from './episode.ts'
import { instanceOf, memoryPorts } from './memory-ports.ts'

const idOf = (prefix: 'usr' | 'ins', number: number): string => `${prefix}_${String(number).padStart(26, '0')}`

/** A separate store in memory for each episode. */
export const openMemory: EpisodeOptions['open'] = async (clock): Promise<Store> => {
  const { ports, memory } = memoryPorts()
  let users = 0
  return {
    ports: ports as Partial<Ports>,
    nextDueMs: async () => memory.channels.nextDueMs(),
    async newUser(state, isPoor) {
      const [userId, instanceId] = [idOf('usr', ++users), idOf('ins', users)]
      memory.instances.set(userId, instanceOf(userId, instanceId, state, clock.nowMs))
      if (isPoor) memory.poor.add(userId)
      return { userId, instanceId }
    },
  }
}

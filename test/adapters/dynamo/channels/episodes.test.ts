import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runEpisode } from '../../../app/channels/simulation/episode.ts'
import { startMs } from '../../../app/channels/simulation/many.ts'
import { full } from '../../../counts.ts'
import type { World } from '../../../world.ts'
import { openChannelWorld, openDynamo } from './stores.ts'

let world: World
beforeEach(async () => {
  world = await openChannelWorld()
})
afterEach(() => world.close())

const seeds = full ? [1, 2, 3, 4, 5, 6, 7, 8] : [1]

test.each(seeds)('the same holds over the store as it is deployed (seed %i)', async (seed) => {
  const open = (clock: Parameters<typeof openDynamo>[1]) => openDynamo(world, clock)
  const { mistakes, counts } = await runEpisode({ seed, deliveries: full ? 200 : 60, startMs, open })
  expect(mistakes).toEqual([])
  expect(counts.prompts).toBeGreaterThan(5)
})

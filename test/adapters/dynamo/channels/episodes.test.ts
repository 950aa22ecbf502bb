import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runEpisode } from '../../../app/channels/simulation/episode.ts'
import { startMs } from '../../../app/channels/simulation/many.ts'
import { full } from '../../../counts.ts'
import type { World } from '../../../world.ts'
import { openChannelWorld, openDynamo } from './stores.ts'

let world: World
beforeAll(async () => {
  world = await openChannelWorld()
})
afterAll(() => world.close())

test('an episode of channels has the same result over DynamoDB', async () => {
  const open = (clock: Parameters<typeof openDynamo>[1]) => openDynamo(world, clock)
  const { mistakes, counts } = await runEpisode({ seed: 1, deliveries: full ? 240 : 90, startMs, open })
  expect(mistakes).toEqual([])
  expect(counts.prompts).toBeGreaterThan(5)
})

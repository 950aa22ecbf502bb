import { expect, test } from '@jest/globals'
import { full } from '../../counts.ts'
import { runEpisodes } from './simulation/many.ts'

/** A part of `npm run prove deliveries`, which runs a million. */
const deliveries = full ? 60_000 : 5_000

test('each message has one run, and each reply is in its chat once or listed as failed, whatever goes wrong', async () => {
  const { mistakes, counts } = await runEpisodes(deliveries, full ? 20_261_201 : 20_261_101)
  expect(mistakes).toEqual([])
  expect(counts.deliveries).toBeGreaterThanOrEqual(deliveries)
  // A run without events proves nothing.
  const { early: _, failedInbound: __, ...happened } = counts
  expect(Object.entries(happened).filter(([, count]) => count === 0)).toEqual([])
})

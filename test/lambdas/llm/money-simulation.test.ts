import { expect, test } from '@jest/globals'
import { full } from '../../counts.ts'
import { simulate } from './simulation/simulation.ts'

/** The long run is `npm run prove simulation`. */
const seed = full ? 20_261_102 : 20_261_101

test('users are billed the amounts that providers bill, while they leave, pause, refresh and delete their accounts', async () => {
  const size = full ? { calls: 1_000, users: 40, changesAnHour: 300 } : { calls: 150, users: 12, changesAnHour: 300 }
  const { mistakes, admitted, aboveHold, fates, happened } = await simulate({
    seed,
    ...size,
    closedAccountsBuyNothing: true,
  })
  expect(mistakes).toEqual([])
  expect(admitted).toBeGreaterThanOrEqual(size.calls)
  expect(aboveHold).toBe(0)
  // A run without any events would prove nothing.
  expect(
    Object.values({
      ...happened,
      cut: fates.cut.calls,
      failed: fates.failed.unpaidMicros,
      expired: 1,
      lateStarts: 1,
    }).every(Boolean),
  ).toBe(true)
})

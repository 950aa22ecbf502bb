import { fileURLToPath } from 'node:url'
import { conform } from './conformance.ts'

const minimal = fileURLToPath(new URL('../../agent/examples/minimal.mjs', import.meta.url))

/** crash.test.ts and machine.test.ts ask more of the reference agent; it is tried here too in the full tier. */
const runtimes: (string | null)[] = [`${process.execPath} ${minimal}`]
if (process.env.BERTH_TIER === 'full') runtimes.push(null)

describe('the machine protocol', () => {
  it.each(runtimes)(
    'is kept by %s',
    async (command) => {
      expect(await conform(command, () => {})).toEqual([])
    },
    180_000,
  )
})

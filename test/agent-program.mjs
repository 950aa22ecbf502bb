import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// The program that the tests run as a machine. Its first argument chooses its behaviour.
const { BERTH_ROLE, BERTH_VOLUME } = process.env
// The machine's other container, which has nothing to start here.
if (process.argv.at(-1) === 'agent/launcher.ts') process.exit(0)
if (BERTH_ROLE === 'volume-eraser') {
  for (const name of readdirSync(BERTH_VOLUME)) rmSync(join(BERTH_VOLUME, name), { recursive: true })
  process.exit(0)
}
process.env.VOLUME = BERTH_VOLUME
await import('../emulators/aws/test/agent.mjs')

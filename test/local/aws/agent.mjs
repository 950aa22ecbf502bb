import { spawn } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The program that the tests run as a task. Its arguments choose its behaviour.
const [mode] = process.argv.slice(2)
// The machine's other container, which has nothing to start here.
if (process.argv.at(-1) === 'agent/launcher.ts') process.exit(0)
const child =
  mode === 'family' ? spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }) : undefined

process.on('SIGTERM', () => {
  if (mode === 'stubborn') return
  console.log('draining')
  process.exit(0)
})
const { BERTH_ROLE, BERTH_VOLUME } = process.env
if (BERTH_ROLE === 'volume-eraser') {
  for (const name of readdirSync(BERTH_VOLUME)) rmSync(join(BERTH_VOLUME, name), { recursive: true })
  process.exit(0)
}
if (BERTH_VOLUME)
  writeFileSync(
    join(BERTH_VOLUME, 'seen.json'),
    JSON.stringify({ env: process.env, pid: process.pid, child: child?.pid }),
  )
console.log('started')
// A program with a stuck event loop receives no signals.
if (mode === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
if (mode === 'crash') process.exitCode = 7
else setInterval(() => {}, 1000)

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The program that the tests run as a task. Its arguments choose its behaviour.
const [mode] = process.argv.slice(2)
const child =
  mode === 'family' ? spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }) : undefined

process.on('SIGTERM', () => {
  if (mode === 'stubborn') return
  console.log('draining')
  process.exit(0)
})
const { VOLUME } = process.env
if (VOLUME)
  writeFileSync(join(VOLUME, 'seen.json'), JSON.stringify({ env: process.env, pid: process.pid, child: child?.pid }))
console.log('started')
// A program with a stuck event loop receives no signals.
if (mode === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
if (mode === 'crash') process.exitCode = 7
else setInterval(() => {}, 1000)

/**
 * `npm run prove cold-start`, or `cold-start:<area>`: the size of a function's code and its load time, compared with an
 * empty Node process. Each measurement is a child process timed from outside, in interleaved rounds, so that a busy
 * host slows all of them alike.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas } from '../lambdas/areas.ts'
import { bundle, bundleFolder } from '../lib/build/bundle.ts'
import { recordRun } from '../proofs/kit/record.ts'
import { environmentOf } from '../test/lib/cold.ts'

const rounds = 15

/** Wall time of one process, ms. */
function timed(code: string, env: NodeJS.ProcessEnv): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr.slice(-2_000))
  return performance.now() - start
}

const median = (all: number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0

const built = mkdtempSync(join(tmpdir(), 'berth-cold-'))
try {
  const sizes = await bundle(built, false)
  const wanted = process.argv.slice(2)
  const functions = areas
    .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    .map((area) => {
      const folder = bundleFolder(built, area.name)
      const code = `globalThis.awslambda = { streamifyResponse: (f) => f }; require(${JSON.stringify(`${folder}/index.js`)})`
      return { name: area.name, bytes: sizes.get(area.name) ?? 0, code, env: environmentOf(area, folder) }
    })
  const processes = [{ name: 'an empty process', bytes: 0, code: '', env: { PATH: process.env.PATH } }, ...functions]
  const times = processes.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [index, { code, env }] of processes.entries()) times[index]?.push(timed(code, env))

  const load = loadavg().map((average) => average.toFixed(1))
  console.log(`load average ${load.join(', ')}; Node ${process.version}`)
  const rows = processes.map(({ name, bytes }, index) => {
    const all = times[index] ?? []
    const size = bytes ? Math.round(bytes / 1000) : ''
    return `| ${name} | ${size} | ${median(all).toFixed(0)} | ${Math.min(...all).toFixed(0)} |`
  })
  const table = ['| function | code, kB | median, ms | fastest, ms |', '|---|---|---|---|', ...rows].join('\n')
  console.log(table)
  recordRun('cold-start', { load: load[0] ?? '', table })
} finally {
  rmSync(built, { recursive: true, force: true })
}

/**
 * `node bench/cold-start.ts [area …]`: how long a function's code takes to load, as a multiple of an empty Node process.
 * Each is a child process measured from outside, in interleaved rounds, so that a busy host slows all of them alike.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas } from '../lambdas/areas.ts'
import { bundle, bundleFolder } from '../lib/bundle.ts'
import { environmentOf } from '../test/lib/cold.ts'

const rounds = 15

/** What every client of AWS loads of Node itself. */
const clientsNeed = "require('node:crypto'); require('node:http'); require('node:https')"

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
  const measured = areas
    .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    .map((area) => {
      const folder = bundleFolder(built, area.name)
      const load = `globalThis.awslambda = { streamifyResponse: (f) => f }; require(${JSON.stringify(`${folder}/index.js`)})`
      const data = readdirSync(folder).filter((name) => name !== 'index.js')
      const dataBytes = data.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
      return { name: area.name, load, env: environmentOf(area, folder), times: [] as number[], dataBytes }
    })
  const [empty, builtIns]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    empty.push(timed('', { PATH: process.env.PATH }))
    builtIns.push(timed(clientsNeed, { PATH: process.env.PATH }))
    for (const one of measured) one.times.push(timed(one.load, one.env))
  }
  const row = (name: string, size: string, times: number[]) => {
    const [ms, least] = [median(times), Math.min(...times)]
    const ratios = [ms / median(empty), least / Math.min(...empty)].map((one) => one.toFixed(2))
    console.log(`| ${name} | ${size} | ${ms.toFixed(0)} | ${ratios.join(' | ')} |`)
  }
  console.log(
    `load average ${loadavg()
      .map((one) => one.toFixed(1))
      .join(', ')}; Node ${process.version}`,
  )
  console.log(
    '| function | code kB (data) | median ms | × an empty process | the fastest rounds, × |\n|---|---|---|---|---|',
  )
  row('an empty process', '', empty)
  row('`crypto`, `http`, `https` of Node alone', '', builtIns)
  for (const { name, times, dataBytes } of measured) {
    const [code, data] = [sizes.get(name) ?? 0, dataBytes].map((bytes) => Math.round(bytes / 1000))
    row(name, data ? `${code} (${data})` : `${code}`, times)
  }
} finally {
  rmSync(built, { recursive: true, force: true })
}

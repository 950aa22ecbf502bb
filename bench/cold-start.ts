/**
 * `node bench/cold-start.ts [area …]`: how long a function's code takes to load, as a multiple of an empty Node process.
 * Each is a child process measured from outside, in interleaved rounds, so that a busy host slows all of them alike.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commonVariables, type Need, needs, secrets, tableEnv } from '../domain/resources.ts'
import { areas } from '../lambdas/areas.ts'
import type { Area } from '../lambdas/kit/operation.ts'
import { portsOf } from '../lib/access.ts'
import { bundle, bundleFolder } from '../lib/bundle.ts'

const rounds = 15

/** The variables that the template gives an area, each with some value: nothing is called while code loads. */
function environmentOf({ access }: Area, folder: string): NodeJS.ProcessEnv {
  const names = portsOf(access).flatMap(([port]) => {
    const need: Need = needs[port]
    return [
      ...(need.tables ?? []).map(tableEnv),
      ...(need.secrets ?? []).map((name) => secrets[name]),
      ...(need.variables ?? []),
    ]
  })
  const given = Object.fromEntries([...commonVariables, ...names].map((name) => [name, 'none']))
  return { PATH: process.env.PATH, AWS_REGION: 'us-east-1', LAMBDA_TASK_ROOT: folder, ...given }
}

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
      return { name: area.name, load, env: environmentOf(area, folder), times: [] as number[] }
    })
  const empty: number[] = []
  for (let round = 0; round < rounds; round++) {
    empty.push(timed('', { PATH: process.env.PATH }))
    for (const one of measured) one.times.push(timed(one.load, one.env))
  }
  console.log('| function | kB | ms | × an empty process |\n|---|---|---|---|')
  console.log(`| an empty process | | ${median(empty).toFixed(0)} | 1 |`)
  for (const { name, times } of measured) {
    const kilobytes = Math.round((sizes.get(name) ?? 0) / 1000)
    console.log(
      `| ${name} | ${kilobytes} | ${median(times).toFixed(0)} | ${(median(times) / median(empty)).toFixed(2)} |`,
    )
  }
} finally {
  rmSync(built, { recursive: true, force: true })
}

import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxBodyBytes } from '../lambdas/kit/body-limit.ts'
import { awsPrices } from '../lib/reports/aws-prices.ts'
import { modelCallSeconds } from '../lib/reports/counts.ts'
import { invocationsMicros } from '../lib/reports/unit-costs.ts'
import { recordRun } from '../proofs/kit/record.ts'
import { call, quantile } from './proxy/client.ts'
import { startPipeline, startUpstream, type Target } from './proxy/targets.ts'

/**
 * The proxy's own part of the time to the first word, with the share of a CPU and the memory of each size on Lambda.
 * Needs root, and the controllers of cgroup v1.
 */
const sizes = [256, 320, 512, 1_024]
const vcpuMiB = 1_769
/** The length of Lambda's CPU slices. */
const periodUs = 20_000
/** Interleaved, so that a busy moment of the machine affects all sizes alike. */
const rounds = 8
const callsARound = 40
const largeCallsARound = 3

const groups = (mib: number) =>
  Object.fromEntries(['cpu', 'memory'].map((kind) => [kind, `/sys/fs/cgroup/${kind}/berth-llm-${mib}`]))

/** A process with the limits of a function of this size. */
async function startLimited(upstream: Target, mib: number): Promise<Target> {
  // Lambda's own bootstrap sets these two limits of the heap.
  process.env.NODE_OPTIONS = `--max-old-space-size=${Math.floor(mib * 0.9)} --max-semi-space-size=${Math.floor(mib * 0.05)}`
  const target = await startPipeline(`http://127.0.0.1:${upstream.port}`, 'stub')
  const { cpu, memory } = groups(mib)
  for (const folder of [cpu, memory]) mkdirSync(String(folder), { recursive: true })
  writeFileSync(`${cpu}/cpu.cfs_period_us`, String(periodUs))
  writeFileSync(`${cpu}/cpu.cfs_quota_us`, String(Math.round((periodUs * mib) / vcpuMiB)))
  writeFileSync(`${memory}/memory.limit_in_bytes`, String(mib * 2 ** 20))
  for (const folder of [cpu, memory]) writeFileSync(`${folder}/cgroup.procs`, String(target.child.pid))
  return target
}

const peakMiB = ({ child }: Target): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024)

const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(maxBodyBytes - 2_000)}` } }
const largest = () => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: crypto.randomUUID() }, picture] }],
})

async function firstWords(target: Target, count: number, more: () => object = () => ({})): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < count; i++) {
    took.push((await call(target, { stream: true, seed: 3_001, ...more() })).firstMs)
    await sleep(20)
  }
  return took
}

const direct = await startUpstream()
const targets = [{ mib: 0, target: direct, small: [] as number[], large: [] as number[] }]
try {
  for (const mib of sizes) targets.push({ mib, target: await startLimited(direct, mib), small: [], large: [] })
  // The engine compiles hot code in the first calls.
  for (const { target } of targets) await firstWords(target, callsARound)
  for (let round = 0; round < rounds; round++)
    for (const { target, small, large } of targets) {
      small.push(...(await firstWords(target, callsARound)))
      large.push(...(await firstWords(target, largeCallsARound, largest)))
    }
  const [base, ...limited] = targets
  const rows = limited.map(({ mib, target, small, large }) => {
    const own = (list: number[], of: number[] = [], part = 0.5) =>
      (quantile(list, part) - quantile(of, part)).toFixed(0)
    const micros = invocationsMicros(1, mib, modelCallSeconds * 1_000) - awsPrices.lambdaRequest.micros
    return `| ${mib} | ${own(small, base?.small)} | ${own(small, base?.small, 0.95)} | ${own(large, base?.large)} | ${peakMiB(target)} | ${micros.toFixed(0)} |`
  })
  const head = [
    '| MiB | own time to the first word: p50, ms | p95, ms | with a body of 4 MB: p50, ms | most resident memory, MiB | function, µUSD a call |',
    '|--:|--:|--:|--:|--:|--:|',
  ]
  const table = [...head, ...rows].join('\n')
  console.log(table)
  recordRun('llm-memory', { table })
} finally {
  for (const { target } of targets) {
    const ended = new Promise((resolve) => target.child.once('exit', resolve))
    target.child.kill()
    await ended
  }
  for (const mib of sizes) for (const folder of Object.values(groups(mib))) rmdirSync(folder)
  process.exit()
}

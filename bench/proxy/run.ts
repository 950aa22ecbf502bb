import { setTimeout as sleep } from 'node:timers/promises'
import { recordRun } from '../../proofs/kit/record.ts'
import { call, latencies, messages, quantile, rate, type Streamed } from './client.ts'
import { aimsTable, type Calls, callsTable, type Streams, streamsTable } from './report.ts'
import { startBare, startLitellm, startPipeline, startPortkey, startUpstream, type Target } from './targets.ts'
import { eventsOf } from './upstream.ts'

/** All measurements in one run, in interleaved rounds, so that a busy moment of the machine affects all alike. */
const short = process.argv.includes('--short')
const rounds = short ? 5 : 20
const each = short ? 30 : 50
const rateMs = short ? 1_000 : 2_000
const megabyte = 'word '.repeat(200_000)
const warmMs = short ? 3_000 : 6_000

const direct = await startUpstream()
const url = `http://127.0.0.1:${direct.port}`
const starters = [
  () => startBare(url),
  () => startPipeline(url, 'stub'),
  () => startPipeline(url, 'real'),
  () => startPortkey(url),
  () => startLitellm(url),
]
const targets: Target[] = [direct]
for (const start of starters) {
  const target = await start().catch((error: unknown) => console.log(`left out: ${error}`))
  if (target) targets.push(target)
}
const find = (name: string) => targets.find((target) => target.name.startsWith(name))

try {
  // A proxy runs for days, so the engine's optimisation in the first seconds is not part of the measurement.
  for (const target of targets) await rate(target, 16, warmMs)

  const took = new Map<Target, number[]>(targets.map((target) => [target, []]))
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) took.get(target)?.push(...(await latencies(target, each)))
  }
  const rates = new Map<Target, number[]>(targets.map((target) => [target, []]))
  for (let round = 0; round < 3; round++) {
    for (const target of targets) rates.get(target)?.push(await rate(target, 16, rateMs))
  }
  const calls: Calls[] = targets.map((target) => {
    const list = took.get(target) ?? []
    const perSecond = quantile(rates.get(target) ?? [], 0.5)
    return { name: target.name, p50: quantile(list, 0.5), p99: quantile(list, 0.99), perSecond }
  })
  console.log(callsTable(calls))
  const streamed = await streams()
  const aims = aimsTable(calls, streamed)
  console.log(`${streamsTable(streamed)}\n${aims}`)
  recordRun('proxy', { calls: callsTable(calls), streams: streamsTable(streamed), aims })
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  for (const { child } of targets) {
    if (child.connected) child.disconnect()
    else child.kill()
  }
  await sleep(500)
  for (const { child } of targets) child.kill()
  process.exit()
}

async function streams(): Promise<Streams[]> {
  const stubbed = find('pipeline, store stubbed')
  const bare = find('bare')
  const billed = find('pipeline, billed')
  if (!stubbed || !bare || !billed) throw new Error('a proxy did not start')
  const expected = `${eventsOf(50).join('')}data: [DONE]\n\n`
  const streamed = await call(billed, { stream: true, seed: 50_010 })
  if (streamed.bytes.toString() !== expected)
    throw new Error("a stream's bytes are not the upstream's without the report")
  if (streamed.chunks < 51) throw new Error(`${51 - streamed.chunks} chunks of 51 spaced events were held back`)

  const first = new Map<Target, number[]>([direct, bare, stubbed, billed].map((target) => [target, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [target, list] of first) list.push(...(await latencies(target, 20, { seed: 3_001 })))
  }
  const firstOf = (target: Target) => quantile(first.get(target) ?? [], 0.5)
  const measured: Streams[] = []
  for (const target of [bare, stubbed, billed]) {
    const all: Streamed[] = await Promise.all(
      Array.from({ length: 64 }, () => call(target, { stream: true, seed: 100_020 })),
    )
    const gapP99 = quantile(
      all.flatMap(({ gaps }) => gaps),
      0.99,
    )
    const firstByteMs = firstOf(target)
    // One wallet has at most ten open calls, so there are not as many users as streams.
    const kib =
      target === billed
        ? undefined
        : {
            short: await memoryAStream(target, [64, 320]),
            megabyte: await memoryAStream(target, [4, 20], megabyte),
          }
    measured.push({ name: target.name, firstByteMs, addedMs: firstByteMs - firstOf(direct), gapP99, kib })
  }
  return measured
}

/** Memory of an open stream, KiB: many at once compared with a few, each time after a garbage collection. */
async function memoryAStream(target: Target, [few, many]: [number, number], prompt = ''): Promise<number> {
  const busy = async (streams: number) => {
    const ask = () => call(target, { stream: true, seed: 30_100, messages: messages(prompt) })
    const kib = sleep(1_500).then(() => memoryOf(target))
    const [inUse] = await Promise.all([kib, ...Array.from({ length: streams }, ask)])
    return inUse
  }
  await busy(many)
  return ((await busy(many)) - (await busy(few))) / (many - few)
}

/** Memory of one of our programs after a garbage collection, KiB. */
function memoryOf({ child }: Target): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', ({ memory }: { memory: number }) => resolve(memory / 1024))
    child.send('memory')
  })
}

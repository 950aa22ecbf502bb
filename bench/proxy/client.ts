import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './targets.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

/** Calls differ, as an agent's do; identical ones in a row would be stopped. */
let calls = 0
export const messages = (more = '') => [{ role: 'user', content: `(${++calls}) Say something short, please. ${more}` }]

export interface Streamed {
  bytes: Buffer
  /** ms from the request to the first byte. */
  firstMs: number
  /** ms between chunks as they arrived. */
  gaps: number[]
  chunks: number
}

/** One call over a kept connection. @throws on any status but 200 */
export function call(target: Target, more: object = {}): Promise<Streamed> {
  const body = JSON.stringify({
    model: target.name.startsWith('Portkey') ? 'echo' : 'local/echo',
    messages: messages(),
    ...more,
  })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...target.headers() }
  const startMs = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: target.port,
      path: target.path,
      method: 'POST',
      agent,
      headers,
      timeout: 10_000,
    })
    sent.once('timeout', () => sent.destroy(new Error(`${target.name} did not answer in ten seconds`)))
    sent.once('response', (answer) => {
      const parts: Buffer[] = []
      const gaps: number[] = []
      let lastMs = 0
      let firstMs = 0
      answer.on('data', (part: Buffer) => {
        const nowMs = performance.now()
        if (parts.length === 0) firstMs = nowMs - startMs
        else gaps.push(nowMs - lastMs)
        lastMs = nowMs
        parts.push(part)
      })
      answer.once('error', reject)
      answer.once('end', () => {
        const bytes = Buffer.concat(parts)
        if (answer.statusCode !== 200) reject(new Error(`${target.name}: ${answer.statusCode} ${bytes}`))
        else resolve({ bytes, firstMs, gaps, chunks: parts.length })
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

/** Time between serial calls, ms: the work of a call after its last byte must not delay the next one. */
const restMs = 8

/** Serial calls, `each` a round: ms to the end of every call, or to the first byte of a stream. */
export async function latencies(target: Target, each: number, stream?: { seed: number }): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < each; i++) {
    const startMs = performance.now()
    const { firstMs } = await call(target, stream && { stream: true, ...stream })
    took.push(stream ? firstMs : performance.now() - startMs)
    await sleep(restMs)
  }
  return took
}

/** Calls a second at a given concurrency. */
export async function rate(target: Target, inFlight: number, forMs: number): Promise<number> {
  const startMs = performance.now()
  let count = 0
  const worker = async () => {
    while (performance.now() - startMs < forMs) {
      await call(target)
      count++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return (count / (performance.now() - startMs)) * 1000
}

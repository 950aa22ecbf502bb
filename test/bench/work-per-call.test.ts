import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { call } from '../../bench/proxy/client.ts'
import { startUpstream, type Target } from '../../bench/proxy/targets.ts'
import type { Work } from './count-work.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const calls = 40

let upstream: Target
let child: ChildProcess
let target: Target
beforeAll(async () => {
  upstream = await startUpstream()
  const args = ['stub', `http://127.0.0.1:${upstream.port}`]
  const execArgv = [`--import=${fileOf('./count-work.ts')}`]
  child = fork(fileOf('../../bench/proxy/berth.ts'), args, { execArgv })
  const [{ port, bearers }] = await once(child, 'message')
  const headers = () => ({ authorization: `Bearer ${bearers[0]}` })
  target = { name: 'pipeline', port, path: '/api/llm/proxy/v1/chat/completions', headers, child }
})
afterAll(async () => {
  child.disconnect()
  upstream.child.kill()
  await Promise.all([child, upstream.child].map((each) => once(each, 'exit')))
})

async function workSince(): Promise<Work> {
  child.send('work')
  // The program also answers each message with its memory.
  for (;;) {
    const [{ work }] = await once(child, 'message')
    if (work) return work
  }
}

/** The average work of one call, after the first calls have filled the shared caches. */
async function workPerCall(options: Parameters<typeof call>[1]): Promise<Partial<Work>> {
  for (let i = 0; i < 10; i++) await call(target, options)
  await workSince()
  for (let i = 0; i < calls; i++) await call(target, options)
  const work = Object.entries(await workSince())
  return Object.fromEntries(work.map(([kind, count]) => [kind, Math.round(count / calls)]))
}

/**
 * The maximum work of one call. Lower a bound when the pipeline does less; raise it only with a reason. One of the texts
 * is the metric from which the alarm on a provider learns the share of failed calls.
 */
const answer: Work = { promises: 118, timers: 3, streams: 4, aborts: 2, parses: 2, texts: 3, copiedBytes: 160 }
/** A stream of 20 words parses each of its events once. */
const stream: Work = { promises: 132, timers: 5, streams: 4, aborts: 2, parses: 23, texts: 3, copiedBytes: 190 }

describe('the work of a model call, on any machine', () => {
  test.each([
    ['an answer', {}, answer],
    ['a stream', { stream: true, seed: 20_000 }, stream],
  ])('of %s stays below its bounds', async (_, options, bounds) => {
    const work = await workPerCall(options)
    const above = Object.entries(work).filter(([kind, count]) => count > bounds[kind as keyof Work]) // safe because Work has each kind
    expect(above).toEqual([])
    // Each kind has a count, so no counter is dead.
    expect(Object.values(work).every((count) => count > 0)).toBe(true)
  })
})

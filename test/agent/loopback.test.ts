import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { Bench, until } from './machine.ts'

const runtime = `${process.execPath} ${fileURLToPath(new URL('./sdk-runtime.mjs', import.meta.url))}`

const reportShape = z.object({
  env: z.record(z.string(), z.string()),
  plain: z.string(),
  streamed: z.array(z.object({ at: z.number(), text: z.string() })),
  claude: z.string(),
  wrongKey: z.number(),
  noKey: z.number(),
  elsewhere: z.array(z.number()),
  files: z.number(),
})

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const report = async () => {
  const file = join(bench.volume, 'report.json')
  await until(() => existsSync(file))
  return reportShape.parse(JSON.parse(readFileSync(file, 'utf8')))
}

it('serves off-the-shelf SDKs, streaming, by their usual environment alone', async () => {
  bench.server.script = [{ text: 'plain' }, { text: 'word by word by word', everyMs: 100 }, { text: 'claude' }]
  const machine = bench.start({ BERTH_RUNTIME: runtime, SECRET_OF_THE_HOST: 'x' })
  const { env, plain, streamed, claude, wrongKey, noKey, elsewhere, files } = await report()
  expect({ plain, claude }).toEqual({ plain: 'plain', claude: 'claude' })
  expect(streamed.map(({ text }) => text).join('')).toBe('word by word by word')
  const [first, last] = [streamed[0], streamed.at(-1)]
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(250)
  expect({ wrongKey, noKey, files }).toEqual({ wrongKey: 401, noKey: 401, files: 200 })
  expect(new Set(elsewhere)).toEqual(new Set([404]))
  expect(Object.keys(env).sort()).toEqual(
    [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'BERTH_BACKOFF_SCALE', 'BERTH_LOOPBACK', 'BERTH_LOOPBACK_KEY'],
      ...['BERTH_MODEL', 'BERTH_VOLUME', 'HOME', 'NODE_COMPILE_CACHE', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
      ...['PATH', 'PWD'],
    ].filter((name) => name !== 'PWD' || 'PWD' in env),
  )
  expect(JSON.stringify(env)).not.toContain('bmt_')
  const named = bench.server.modelHeaders.map((headers) => headers['x-berth-model'])
  expect(new Set(named)).toEqual(new Set(['local/echo']))
  expect(bench.server.seen.some(({ path }) => !path.startsWith('/llm/') && !path.startsWith('/agent/'))).toBe(false)
  machine.child.kill('SIGTERM')
  expect(await machine.exited).toBe(0)
})

it('renews the token of every audience, for as long as the machine lives', async () => {
  bench.server.tokenMs = 4_000
  const machine = bench.start({ BERTH_TOKEN_SECONDS: '4' })
  await until(() => bench.server.seen.some(({ path }) => path === '/agent/prompt'))
  await sleep(10_000)
  const late = bench.server.seen.slice(-100)
  expect(new Set(late.map(({ audience }) => audience))).toEqual(new Set(['llm', 'files', 'agent']))
  expect(bench.server.seen.filter(({ status }) => status === 401)).toEqual([])
  expect(machine.child.exitCode).toBeNull()
  const prompt = bench.server.say('Still there?')
  // The poll that is open was begun before; it outlives the token it came with.
  await until(() => prompt.closed.length > 0)
  expect(bench.server.replies(prompt)).toHaveLength(1)
}, 40_000)

it('starts a runtime that ends by itself again, each time a little later', async () => {
  const machine = bench.start({ BERTH_RUNTIME: '/bin/false' })
  await until(() => machine.output().split('runtime started').length > 3)
  const waits = [...machine.output().matchAll(/"waitMs":(\d+)/g)].map(([, ms]) => Number(ms))
  expect(waits.slice(0, 2)).toEqual([500, 1_000])
  machine.child.kill('SIGTERM')
  expect(await machine.exited).toBe(0)
})

it('says which variable is missing, and not what the others are', async () => {
  const machine = bench.start({ BERTH_AGENT_TOKEN: '' })
  expect(await machine.exited).toBe(1)
  expect(machine.output()).toContain('BERTH_AGENT_TOKEN is not set')
  expect(machine.output()).not.toContain('bmt_')
})

it('needs nothing but its own folder, which is all the image has', async () => {
  const image = join(bench.volume, 'image')
  cpSync(fileURLToPath(new URL('../../agent', import.meta.url)), join(image, 'agent'), { recursive: true })
  const prompt = bench.server.say('Alone?')
  const machine = bench.start({}, join(image, 'agent', 'main.ts'))
  await until(() => prompt.closed.length > 0)
  expect(bench.server.replies(prompt)).toHaveLength(1)
  expect(machine.output()).not.toMatch(/warning/i)
})

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { Bench, until } from '../machine.ts'

const runtime = `${process.execPath} ${fileURLToPath(new URL('../sdk-runtime.mjs', import.meta.url))}`

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

it('the loopback serves off-the-shelf SDKs, streams included, with their usual environment variables alone', async () => {
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

it('the loopback lets a runtime use secrets, and returns no text that contains a secret', async () => {
  const value = 'a-value-nobody-sees'
  bench.server.secrets = [
    { name: 'github', value, hosts: ['api.github.com'], header: 'authorization', template: 'Bearer {}' },
  ]
  const ask = (to: string) =>
    `curl -sS -w ' %{http_code}\\n' -H "Authorization: Bearer $BERTH_LOOPBACK_KEY" "$BERTH_LOOPBACK${to}"`
  const paths = [
    '/secrets',
    '/agent/secrets',
    '/agent/files',
    '/secrets/github/https/evil.test/',
    '/secrets/other/https/evil.test/',
  ]
  const script = join(bench.volume, 'ask.sh')
  writeFileSync(script, ['(env', ...paths.map(ask), ') > said', 'mv said ../said', 'exec cat'].join('\n'))
  const machine = bench.start({ BERTH_RUNTIME: `sh ${script}` })
  const file = join(bench.volume, 'said')
  await until(() => existsSync(file))
  const said = readFileSync(file, 'utf8')
  expect(said).toContain('{"secrets":[{"name":"github","hosts":["api.github.com"],"header":"authorization"}]} 200')
  expect([...said.matchAll(/ (\d{3})$/gm)].map(([, status]) => Number(status))).toEqual([200, 404, 200, 403, 404])
  machine.child.kill('SIGTERM')
  await machine.exited
  const { stdout: kept } = spawnSync('grep', ['-r', value, bench.volume], { encoding: 'utf8' })
  expect([said.includes(value), machine.output().includes(value), kept]).toEqual([false, false, ''])
})

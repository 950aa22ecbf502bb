/**
 * OpenAI's own SDKs for Go, Python and Node, in cases in which they are strict: parallel tool calls in pieces, a stream
 * that is silent for long, events with ids, and errors. Each is tried in both formats, with a model that its provider
 * offers in that format and with one that is translated.
 */
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { nodeServer } from '../../bench/proxy/node-entry.ts'
import { llmArea } from '../../lambdas/llm/index.ts'
import { openWorld } from '../../test/world.ts'
import { recordRun } from '../kit/record.ts'
import { scripts, startScripted } from './openai-upstream.ts'
import { openPrograms } from './programs.ts'
import { type Seen, table } from './works-with.ts'

const versions = { go: 'v3.98.0', python: '3.57.0', node: '7.57.0' }
const prices = { input: 10, output: 50 }
const limits = { contextTokens: 200_000, maxOutputTokens: 8_192 }
const models = [
  { id: 'chat', formats: ['openai-chat'], prices, ...limits },
  { id: 'resp', formats: ['openai-responses'], prices, ...limits },
]

const words = { text: 'Hello from the model.', calls: [], total: 25 }
const called = ['Bern', 'Rome'].map((city, index) => ({
  name: ['weather', 'time'][index],
  arguments: JSON.stringify({ city }),
}))
const calls = { text: '', calls: called, total: 25 }

interface Case {
  check: string
  format: 'chat' | 'responses' | 'none'
  model: string
  words: string
  wallet: 'full' | 'empty'
  /** The parsed answer, or its required fields. */
  must: object
}
const both = (check: string, said: string, must: object, wallet: Case['wallet'] = 'full'): Case[] =>
  (['chat', 'responses'] as const).flatMap((format) =>
    models.map(({ id }) => ({ check, format, model: `vendor/${id}`, words: said, wallet, must })),
  )
const cases: Case[] = [
  ...both('stream', scripts.say, words),
  ...both('parallel tools', scripts.call, calls),
  ...both('silence', scripts.wait, words),
  ...both('busy', scripts.busy, { status: 429 }),
  ...both('empty wallet', scripts.say, { status: 402, code: 'wallet-empty' }, 'empty'),
  {
    check: 'not found',
    format: 'none',
    model: '',
    words: '',
    wallet: 'full',
    must: { status: 404, code: 'not-found' },
  },
]
const checks = [...new Set(cases.map(({ check }) => check))]

const holds = (must: object, said: string): boolean => {
  const made: unknown = JSON.parse(said)
  if (typeof made !== 'object' || made === null || /org-secret/.test(said)) return false
  const fields = new Map(Object.entries(made))
  const isError = fields.has('status')
  if (isError && !/^[A-Z].*\.$/.test(String(fields.get('message')))) return false
  return Object.entries(must).every(([name, value]) => JSON.stringify(fields.get(name)) === JSON.stringify(value))
}

interface Client {
  version: string
  /** The line that connects it. */
  line: string
  command: string[]
}

const programs = openPrograms('openai')

function installAll(): Record<string, Client> {
  const { inside, install } = programs
  programs.npm({ openai: versions.node })
  programs.pypi([`openai==${versions.python}`])
  for (const name of ['main.go', 'main.py', 'main.mjs']) programs.place(join(import.meta.dirname, 'openai', name))
  for (const left of ['go.mod', 'go.sum']) rmSync(inside(left), { force: true })
  for (const args of [
    ['mod', 'init', 'example.com/prove'],
    ['get', `github.com/openai/openai-go/v3@${versions.go}`],
    ['mod', 'tidy'],
    ['build', '-o', 'main', '.'],
  ])
    install('go', args)
  return {
    'openai-go': {
      version: versions.go.slice(1),
      line: 'openai.NewClient(option.WithBaseURL(BERTH+"/v1"), option.WithAPIKey(BERTH_TOKEN))',
      command: [inside('main')],
    },
    'openai (Python)': {
      version: versions.python,
      line: 'OpenAI(base_url=f"{BERTH}/v1", api_key=BERTH_TOKEN)',
      command: [inside('venv/bin/python'), inside('main.py')],
    },
    'openai (Node)': {
      version: versions.node,
      line: 'new OpenAI({ baseURL: BERTH + "/v1", apiKey: BERTH_TOKEN })',
      command: [process.execPath, inside('main.mjs')],
    },
  }
}

/** The service over a scripted provider. */
async function openService() {
  const upstream = await startScripted()
  const world = await openWorld({ areas: [llmArea], clock: 'running', ports: ['instances', 'users', 'wallets'] })
  const vendor = { kind: 'openai', baseUrl: upstream.url, apiKey: 'k', models }
  await world.cloud.cloud.putSecret('providers', JSON.stringify({ vendor }))
  const server = nodeServer(llmArea, world.ports)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    /** A new user's token. @param micros the wallet's balance */
    async token(micros: number): Promise<string> {
      const { userId } = await world.tenant()
      const at = new Date().toISOString()
      if (micros > 0) await world.ports.wallets.creditOnce(userId, 'start', micros, 'adjustment', 'Start', at)
      return (await world.bearer(['api:llm'], userId)).plaintext
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      upstream.close()
      await world.close()
    },
  }
}

/** Runs one SDK through all cases. */
async function run(name: string, { version, command }: Client, env: NodeJS.ProcessEnv): Promise<Seen[]> {
  const [program = '', ...args] = command
  const printed = await programs.output(program, args, env)
  const lines = printed.split('\n').filter((line) => line.startsWith('{"check"'))
  if (lines.length !== cases.length) throw new Error(`${name} said ${printed.slice(-1_000)}`)
  return lines.map((line, index) => {
    const { check, said } = JSON.parse(line)
    const { must = {}, format, model } = cases[index] ?? {}
    const isRight = holds(must, said)
    console.log(`  ${isRight ? 'ok    ' : 'FAILED'} ${name}, ${check}, ${format} ${model}${isRight ? '' : `: ${said}`}`)
    return { client: name, version, check, said, holds: isRight }
  })
}

export async function proveOpenAi(): Promise<Seen[]> {
  console.log('  installing')
  const clients = installAll()
  const service = await openService()
  const CASES = JSON.stringify(cases.map(({ must: _, ...asked }) => asked))
  try {
    const runs = Object.entries(clients).map(async ([name, client]) => {
      const [KEY, POOR] = [await service.token(50_000_000), await service.token(0)]
      return run(name, client, { BASE: service.url, KEY, POOR, CASES })
    })
    const seen = (await Promise.all(runs)).flat()
    const text = table(seen, checks, (client) => clients[client] ?? { line: '' })
    if (seen.every(({ holds }) => holds)) recordRun('clients:openai', { table: text })
    return seen
  } finally {
    await service.close()
    programs.close()
  }
}

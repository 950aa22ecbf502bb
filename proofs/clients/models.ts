/**
 * Third-party programs call models through the service: SDKs and coding agents as they are published today, with
 * providers that answer in recorded shapes of the real ones.
 */
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeServer } from '../../bench/proxy/node-entry.ts'
import { heldOf } from '../../domain/wallet/state.ts'
import { llmArea } from '../../lambdas/llm/index.ts'
import { openWorld } from '../../test/world.ts'
import { recordRun } from '../kit/record.ts'
import { type CodingAgent, codingAgents } from './coding-agents.ts'
import { libraries } from './libraries.ts'
import { openPrograms } from './programs.ts'
import { readWish, secret, startVendors, wishes } from './upstream.ts'
import { type Seen, table } from './works-with.ts'

const npm = {
  openai: '7.55.0',
  '@anthropic-ai/sdk': '1.11.0',
  ai: '6.0.326',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/anthropic': '3.0.139',
  ai7: 'npm:ai@7.0.173',
  'ai7-openai': 'npm:@ai-sdk/openai@4.0.118',
  'ai7-anthropic': 'npm:@ai-sdk/anthropic@4.0.105',
  '@langchain/core': '1.4.0',
  '@langchain/openai': '1.6.0',
  '@langchain/anthropic': '1.5.11',
  '@openai/agents': '0.20.0',
  openclaw: '2026.9.6',
  zod: '4',
  '@anthropic-ai/claude-code': '2.1.330',
  '@openai/codex': '0.169.0',
  'opencode-ai': '1.18.33',
  '@mariozechner/pi-coding-agent': '0.73.1',
}
/**
 * LiteLLM needs `mcp` for tools. pydantic-ai is tried with OpenAI's models only: 2.31 does not load with today's
 * `anthropic`.
 */
const pypi = ['openai', 'anthropic', 'litellm', 'mcp', 'pydantic-ai-slim[openai]', 'instructor']
/** Each requires versions that conflict with the others. */
const frameworks = ['langchain-openai', 'langchain-anthropic', 'openai-agents']
const aider = ['aider-chat']

const programs = openPrograms('models')
const { inside, output } = programs
const vendors = await startVendors()
const world = await openWorld({ areas: [llmArea], clock: 'running', ports: ['instances', 'users', 'wallets'] })
const providers = {
  openai: { kind: 'openai', baseUrl: `${vendors.url}/v1`, apiKey: 'k' },
  anthropic: { kind: 'anthropic', baseUrl: vendors.url, apiKey: 'k' },
}
await world.cloud.cloud.putSecret('providers', JSON.stringify(providers))
const server = nodeServer(llmArea, world.ports)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const berth = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because it listens on TCP

/** The environment from which programs call. */
interface Caller {
  berth: string
  token: string
  userId: string
}
const enough = 50_000_000

/** A new user with programs of their own. @param micros the wallet's balance */
async function person(micros: number): Promise<Caller> {
  const { userId } = await newUser(micros)
  return { berth, token: (await world.bearer(['api:llm'], userId)).plaintext, userId }
}

/** Programs in a new user's machine. */
async function machine(): Promise<Caller> {
  const tenant = await newUser(enough)
  const { Authorization } = await world.machine(tenant, 'llm')
  return { berth: `${berth}/llm/proxy`, token: Authorization.replace('Bearer ', ''), userId: tenant.userId }
}

async function newUser(micros: number) {
  const tenant = await world.tenant()
  const at = new Date().toISOString()
  if (micros > 0) await world.ports.wallets.creditOnce(tenant.userId, 'start', micros, 'adjustment', 'Start', at)
  return tenant
}

const seen: Seen[] = []

const hello = /Hello from the model\./
/** The expected output of each check; a check that an empty wallet fails must say so. */
const wanted: Record<string, RegExp> = {
  text: hello,
  stream: /Hello from the model\.|\{"answer": ?42(\.0)?\}/,
  image: /I see the image\.|\{"answer": ?7(\.0)?\}/,
  tools: new RegExp(`Bern|The file says ${secret}\\.`),
  json: /\{"answer": ?42(\.0)?\}/,
  cancel: /^left, settled$/,
  'empty wallet': /The wallet is empty\. Top it up/,
  'in a machine': /Hello from the model\.|\{"answer": ?42(\.0)?\}/,
}
function note(client: string, version: string, check: string, said: string): void {
  const holds = wanted[check]?.test(said) ?? false
  seen.push({ client, version, check, said, holds })
  console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${client}, ${check}${holds ? '' : `: ${said.slice(-1_000)}`}`)
}

/** The outcome of a call whose caller disconnected: its hold is released within seconds. */
async function untilSettled(userId: string): Promise<string> {
  const end = Date.now() + 30_000
  for (;;) {
    const held = heldOf(await world.ports.wallets.read(userId))
    if (held === 0) return 'settled'
    if (Date.now() > end) return `${held} still held`
    await sleep(100)
  }
}

/** LiteLLM ships a list of models, and need not load a newer one. */
const local = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' }

/** Runs a program that uses libraries. @param checks all, or the first of each library */
async function runLibraries(
  [command = '', ...args]: string[],
  { berth, token, userId }: Caller,
  checks: 'all' | 'first',
  as?: string,
): Promise<void> {
  const env = { BASE: berth, KEY: token, WISHES: JSON.stringify(wishes), CHECKS: checks, ...local }
  const printed = await output(command, args, env)
  const lines = printed.split('\n').filter((line) => line.startsWith('{"client"'))
  if (lines.length === 0) throw new Error(`${args.join(' ')} said nothing: ${printed.slice(-1_000)}`)
  for (const line of lines) {
    const { client, check, said } = JSON.parse(line)
    const left = check === 'cancel' && !as ? `, ${await untilSettled(userId)}` : ''
    note(client, versionIn(client), as ?? check, `${said}${left}`)
  }
}

/** Separate users for a group of libraries, because together they exceed the calls that one user has in a minute. */
async function proveLibraries(program: string[]): Promise<void> {
  await runLibraries(program, await person(enough), 'all')
  await runLibraries(program, await person(0), 'all', 'empty wallet')
  await runLibraries(program, await machine(), 'first', 'in a machine')
}

let versions: Record<string, string> = {}
const versionIn = (client: string) => versions[libraries[client]?.package ?? ''] ?? ''

async function proveAgent(agent: CodingAgent): Promise<void> {
  const { name, version, lacks } = agent
  const noted = async (check: string, run: () => Promise<string>) => {
    if (!lacks[check]) note(name, version, check, await run())
  }
  const run = async (words: string, more = {}) => agent.run({ ...(await person(enough)), words, ...more })
  vendors.heard.streamed = false
  const answer = await run(wishes.say)
  note(name, version, 'text', answer)
  note(name, version, 'stream', vendors.heard.streamed ? answer : 'It asked for no stream.')
  await noted('image', () => run(wishes.say, { image: inside('work/pixel.png') }))
  await noted('tools', () => run(readWish(inside('work/note.txt'))))
  await noted('json', async () => unescaped(await run(wishes.json, { schema })))
  await noted('cancel', () => interrupt(agent))
  note(name, version, 'in a machine', await agent.run({ ...(await machine()), words: wishes.say }))
  // Last, because OpenClaw sends nothing more for minutes after this error.
  note(name, version, 'empty wallet', await agent.run({ ...(await person(0)), words: wishes.say }))
}
const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const unescaped = (printed: string) => printed.replaceAll('\\"', '"')

/** Presses Ctrl-C when the model has begun to answer. */
async function interrupt(agent: CodingAgent): Promise<string> {
  const { long } = vendors.heard
  let became = 'nothing came'
  const interrupted = once(long, 'begun').then(() => {
    became = 'left'
    return sleep(1_000)
  })
  long.once('ended', () => (became = 'stayed to the end'))
  const caller = await person(enough)
  await agent.run({ ...caller, words: wishes.long, interrupted })
  const said = became
  return `${said}, ${await untilSettled(caller.userId)}`
}

/** @param only the beginning of an agent's or a group's name; without it all are tried and the document is written */
export async function proveModels(only = ''): Promise<Seen[]> {
  console.log('  installing')
  programs.npm(npm)
  const python = [programs.pypi(aider, 'aider'), programs.pypi(frameworks, 'frameworks'), programs.pypi(pypi)]
  versions = Object.fromEntries([
    ...python.flatMap((listed) => [...listed]).map(([name, version]) => [`pypi:${name}`, version]),
    ...Object.entries(npm).map(([name, version]) => [name, version.replace(/^npm:.*@/, '')]),
  ])
  const agents = codingAgents(programs, versions)
  writeFileSync(inside('work/note.txt'), `The number is ${secret}.\n`)
  copyFileSync(source('pixel.png'), inside('work/pixel.png'))
  for (const name of ['pixel.png', 'checks.py']) programs.place(source(name))
  const node = [process.execPath, programs.place(source('sdks.mjs'))]
  const names = ['openai,', '@anthropic-ai', 'ai,', 'ai7,', '@langchain', '@openai/agents']
  const groups: Record<string, string[]> = {
    ...Object.fromEntries(names.map((name) => [name, [...node, name]])),
    'sdks.py': [inside('venv/bin/python'), programs.place(source('sdks.py'))],
    'frameworks.py': [inside('frameworks/bin/python'), programs.place(source('frameworks.py'))],
  }
  try {
    for (const [name, program] of Object.entries(groups)) if (name.startsWith(only)) await proveLibraries(program)
    for (const agent of agents) if (agent.name.startsWith(only)) await proveAgent(agent)
    const rows = table(
      seen,
      Object.keys(wanted),
      (client) => libraries[client] ?? agents.find(({ name }) => name === client) ?? { line: '' },
    )
    if (only === '')
      recordRun(
        'clients:models',
        { table: rows },
        seen.every(({ holds }) => holds),
      )
    return seen
  } finally {
    server.closeAllConnections()
    server.close()
    vendors.close()
    await world.close()
    programs.close()
  }
}

const source = (name: string) => join(import.meta.dirname, 'models', name)

/**
 * Programs that nobody here wrote call models through the proxy: SDKs and coding agents as they are published today, against
 * providers that answer in the shapes that were recorded of the real ones.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { heldOf } from '../../../domain/wallet/state.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { openWorld } from '../../../test/world.ts'
import { nodeServer } from '../../proxy/node-entry.ts'
import { openPrograms } from './programs.ts'
import { startVendors, wishes } from './upstream.ts'
import { type Seen, table, today, writeSection } from './works-with.ts'

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
  openclaw: '2026.9.6',
  zod: '4',
  '@anthropic-ai/claude-code': '2.1.330',
  '@openai/codex': '0.169.0',
  'opencode-ai': '1.18.33',
  '@mariozechner/pi-coding-agent': '0.73.1',
}
/** LiteLLM wants `mcp` for tools. pydantic-ai is tried with OpenAI's models: 2.31 does not load with today's `anthropic`. */
const pypi = ['openai', 'anthropic', 'litellm', 'mcp', 'pydantic-ai-slim[openai]', 'instructor']
/** Each wants versions that the others do not. */
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
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/llm/proxy` // safe because it listens on TCP
let pythonVersions = new Map<string, string>()

/** The token of a machine whose wallet has this much, and the wallet's owner. */
async function machineWith(micros: number): Promise<{ key: string; userId: string }> {
  const tenant = await world.tenant()
  const at = new Date().toISOString()
  if (micros > 0) await world.ports.wallets.creditOnce(tenant.userId, 'start', micros, 'adjustment', 'Start', at)
  const headers = await world.machine(tenant, 'llm', tenant.instance.generation)
  return { key: headers.Authorization.replace('Bearer ', ''), userId: tenant.userId }
}

const seen: Seen[] = []

/** What each check must have said; anything that an empty wallet stops must say so. */
const wanted: Record<string, RegExp> = {
  text: /Hello from the model\./,
  stream: /Hello from the model\./,
  image: /Hello from the model\./,
  tools: /Bern|Hello from the model\./,
  json: /^\{"answer": ?42(\.0)?\}$/,
  cancel: /^left, settled$/,
  'empty wallet': /The wallet is empty\. Top it up/,
}
function note(client: string, version: string, check: string, said: string): void {
  const holds = wanted[check]?.test(said) ?? false
  seen.push({ client, version, check, said, holds })
  if (!holds) console.log(`  ${client}, ${check}: ${said.slice(0, 300)}`)
}

/** What became of a call whose caller left: its hold is let go within seconds. */
async function untilSettled(userId: string): Promise<string> {
  const end = Date.now() + 15_000
  for (;;) {
    const held = heldOf(await world.ports.wallets.read(userId))
    if (held === 0) return 'settled'
    if (Date.now() > end) return `${held} still held`
    await sleep(100)
  }
}

const listedAs: Record<string, string> = { 'pydantic-ai': 'pydantic-ai-slim', aider: 'aider-chat' }
const versionIn = (client: string): string => {
  const name = client.split(/[ ,]/, 1)[0] ?? ''
  const python = /Python|litellm|pydantic|instructor|aider/.test(client)
  const listed = pythonVersions.get(listedAs[name] ?? name)
  return (python ? listed : npm[name as keyof typeof npm])?.replace(/^npm:.*@/, '') ?? ''
}

async function sdks([command = '', ...args]: string[], micros: number): Promise<void> {
  const { key, userId } = await machineWith(micros)
  const env = { BASE: base, KEY: key, WISHES: JSON.stringify(wishes) }
  const printed = await output(command, args, env)
  const lines = printed.split('\n').filter((line) => line.startsWith('{"client"'))
  if (lines.length === 0) throw new Error(`${args.join(' ')} said nothing: ${printed.slice(-1_000)}`)
  for (const line of lines) {
    const { client, check, said } = JSON.parse(line)
    const left = check === 'cancel' && micros > 0 ? `, ${await untilSettled(userId)}` : ''
    note(client, versionIn(client), micros > 0 ? check : 'empty wallet', `${said}${left}`)
  }
}

interface Agent {
  version: string
  run(key: string): Promise<string>
}

const claudeCode = (model: string): Agent => ({
  version: npm['@anthropic-ai/claude-code'],
  run: (key) =>
    output(inside('node_modules/.bin/claude'), ['-p', wishes.say], {
      ANTHROPIC_BASE_URL: base,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
})

const codex = (model: string): Agent => ({
  version: npm['@openai/codex'],
  run: (key) => {
    mkdirSync(inside('home/.codex'), { recursive: true })
    const config = [
      `model = "${model}"`,
      'model_provider = "berth"',
      '[model_providers.berth]',
      'name = "Berth"',
      `base_url = "${base}/v1"`,
      'env_key = "BERTH_TOKEN"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
    ]
    writeFileSync(inside('home/.codex/config.toml'), config.join('\n'))
    return output(inside('node_modules/.bin/codex'), ['exec', '--skip-git-repo-check', wishes.say], {
      BERTH_TOKEN: key,
    })
  },
})

const agents: Record<string, Agent> = {
  'Claude Code': claudeCode('claude-sonnet-4-6'),
  'Claude Code, a GPT': claudeCode('openai/gpt-5-mini'),
  Codex: codex('gpt-5-mini'),
  'Codex, a Claude': codex('anthropic/claude-sonnet-4-6'),
  opencode: {
    version: npm['opencode-ai'],
    run: (key) => {
      const models = { 'openai/gpt-5-mini': {}, 'anthropic/claude-sonnet-4-6': {} }
      const options = { baseURL: `${base}/v1`, apiKey: '{env:BERTH_TOKEN}' }
      const berth = { npm: '@ai-sdk/openai-compatible', name: 'Berth', options, models }
      const model = 'berth/anthropic/claude-sonnet-4-6'
      mkdirSync(inside('opencode'), { recursive: true })
      const config = { model, small_model: 'berth/openai/gpt-5-mini', provider: { berth } }
      writeFileSync(inside('opencode/opencode.json'), JSON.stringify(config))
      const command = inside('node_modules/.bin/opencode')
      return output(command, ['run', wishes.say], { BERTH_TOKEN: key }, inside('opencode'))
    },
  },
  OpenClaw: {
    version: npm.openclaw,
    run: (key) => {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const id = 'openai/gpt-5-mini'
      const model = {
        id,
        name: 'GPT',
        reasoning: false,
        input: ['text'],
        cost,
        contextWindow: 400_000,
        maxTokens: 16_000,
      }
      const berth = { baseUrl: `${base}/v1`, apiKey: key, api: 'openai-completions', models: [model] }
      writeFileSync(inside('openclaw.json'), JSON.stringify({ models: { mode: 'merge', providers: { berth } } }))
      const args = ['agent', 'exec', '--config', inside('openclaw.json'), '--model', `berth/${id}`, '--timeout', '120']
      return output(inside('node_modules/.bin/openclaw'), [...args, wishes.say], {})
    },
  },
  aider: {
    version: '',
    run: (key) =>
      output(
        inside('aider/bin/aider'),
        [
          '--model',
          'openai/openai/gpt-5-mini',
          '--no-git',
          '--yes-always',
          '--no-show-model-warnings',
          '--message',
          wishes.say,
        ],
        { OPENAI_API_BASE: `${base}/v1`, OPENAI_API_KEY: key, AIDER_ANALYTICS: 'false', AIDER_CHECK_UPDATE: 'false' },
      ),
  },
  pi: {
    version: npm['@mariozechner/pi-coding-agent'],
    run: (key) => {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const model = {
        id: 'openai/gpt-5-mini',
        name: 'GPT',
        reasoning: true,
        input: ['text'],
        contextWindow: 400_000,
        maxTokens: 16_000,
        cost,
      }
      const berth = { baseUrl: `${base}/v1`, api: 'openai-completions', apiKey: 'BERTH_TOKEN', models: [model] }
      mkdirSync(inside('home/.pi/agent'), { recursive: true })
      writeFileSync(inside('home/.pi/agent/models.json'), JSON.stringify({ providers: { berth } }))
      const args = ['--provider', 'berth', '--model', model.id, '-p', wishes.say]
      return output(inside('node_modules/.bin/pi'), args, { BERTH_TOKEN: key })
    },
  },
}

export async function proveModels(): Promise<Seen[]> {
  console.log('  installing')
  programs.npm(npm)
  pythonVersions = new Map([
    ...programs.pypi(aider, 'aider'),
    ...programs.pypi(frameworks, 'frameworks'),
    ...programs.pypi(pypi),
  ])
  try {
    for (const micros of [50_000_000, 0]) {
      // A machine each, for all of them make more calls in a minute than one may.
      for (const names of ['openai,', '@anthropic-ai', 'ai,', 'ai7,', '@langchain'])
        await sdks([process.execPath, programs.place(source('sdks.mjs')), names], micros)
      await sdks([inside('venv/bin/python'), programs.place(source('sdks.py'))], micros)
      await sdks([inside('frameworks/bin/python'), programs.place(source('frameworks.py'))], micros)
      for (const [client, agent] of Object.entries(agents))
        note(
          client,
          agent.version || versionIn(client),
          micros > 0 ? 'text' : 'empty wallet',
          await agent.run((await machineWith(micros)).key),
        )
    }
    const text = `Tried on ${today()} by \`npm run prove clients:models\`: each program as it is published, with nothing but a base URL and a key, against
providers that answer in the shapes recorded of the real ones. An empty wallet is one that the program tells its user of, with what to do. Who
leaves in mid-stream has the call settled and nothing held seconds later. \`ai7\` is \`ai\` 7, installed beside 6.

${table(seen, Object.keys(wanted))}`
    writeSection('Model calls', text)
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

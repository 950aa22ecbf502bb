import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A way to the upstream: the address for chat completions, the headers, and the process whose memory counts. */
export interface Target {
  name: string
  port: number
  path: string
  headers(): Record<string, string>
  child: ChildProcess
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The folder for the rivals' packages; they are no dependency of the project. */
const rivals = join(tmpdir(), 'berth-bench')

const program = (file: string, args: string[]): Promise<{ child: ChildProcess; port: number; bearers?: string[] }> =>
  new Promise((resolve, reject) => {
    const child = fork(here(file), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--expose-gc'] })
    child.once('message', (started: { port: number; bearers?: string[] }) => resolve({ child, ...started }))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })

export async function startUpstream(): Promise<Target> {
  const { child, port } = await program('upstream.ts', ['0'])
  return { name: 'direct', port, path: '/v1/chat/completions', headers: () => ({}), child }
}

export async function startBare(upstream: string): Promise<Target> {
  const { child, port } = await program('bare.ts', [upstream])
  return { name: 'bare Node proxy', port, path: '/v1/chat/completions', headers: () => ({}), child }
}

/** Calls arrive as agents make them: a number of calls in a turn, of a number of users at a time. */
const callsATurn = 20
const atOnce = 16

export async function startPipeline(upstream: string, store: 'stub' | 'real'): Promise<Target> {
  const { child, port, bearers = [] } = await program('berth.ts', [store, upstream])
  let calls = 0
  const headers = () => {
    const user = (calls % atOnce) + atOnce * Math.floor(calls / (atOnce * callsATurn))
    calls++
    return { authorization: `Bearer ${bearers[user % bearers.length]}` }
  }
  const name = store === 'stub' ? 'pipeline, store stubbed' : 'pipeline, billed'
  return { name, port, path: '/api/llm/proxy/v1/chat/completions', headers, child }
}

export async function startPortkey(upstream: string): Promise<Target> {
  const folder = join(rivals, 'portkey')
  const main = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(main)) {
    mkdirSync(folder, { recursive: true })
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, '@portkey-ai/gateway@1.15.2'])
  }
  const args = ['--import', here('loopback.ts'), main, '--port=23457', '--headless']
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const headers = () => ({
    authorization: 'Bearer k',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream}/v1`,
  })
  return ready({ name: 'Portkey 1.15.2', port: 23457, path: '/v1/chat/completions', headers, child })
}

export async function startLitellm(upstream: string): Promise<Target> {
  const folder = join(rivals, 'litellm')
  const main = join(folder, 'bin/litellm')
  if (!existsSync(main)) {
    execFileSync('python3', ['-m', 'venv', folder])
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', 'litellm[proxy]'])
  }
  const config = join(rivals, 'litellm.yaml')
  const model = `litellm_params: { model: openai/echo, api_base: "${upstream}/v1", api_key: k }`
  writeFileSync(
    config,
    `model_list:\n  - model_name: local/echo\n    ${model}\ngeneral_settings: { master_key: sk-bench-0123456789abcdef }\n`,
  )
  const child = spawn(main, ['--config', config, '--host', '127.0.0.1', '--port', '23458'], {
    stdio: 'ignore',
    cwd: rivals,
    env: { PATH: process.env.PATH, HOME: rivals, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  })
  const headers = () => ({ authorization: 'Bearer sk-bench-0123456789abcdef' })
  return ready({ name: 'LiteLLM', port: 23458, path: '/v1/chat/completions', headers, child })
}

/** A server is ready when it answers a call. */
async function ready(target: Target): Promise<Target> {
  for (let tries = 0; tries < 300; tries++) {
    const body = JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'x' }] })
    const headers = { 'content-type': 'application/json', ...target.headers() }
    const url = `http://127.0.0.1:${target.port}${target.path}`
    const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => null)
    if (answer?.status === 200) return target
    await sleep(200)
  }
  target.child.kill()
  throw new Error(`${target.name} did not answer within a minute`)
}

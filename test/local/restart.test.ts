import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compiled, some } from '../counts.ts'
import { machines } from '../service/machine.ts'

/**
 * A service of this file's own, which the tests stop in every way. The shared client talks to the shared service, so
 * this file has its own calls.
 */
let dataDir: string
let port: number
let child: ChildProcess

const say = async (method: string, path: string, body?: object, cookie = '') => {
  const origin = `http://127.0.0.1:${port}`
  const answer = await fetch(`${origin}/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin, cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: answer.status,
    cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '',
    body: await answer.json(),
  }
}

async function start(): Promise<void> {
  const env = { ...compiled, PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), DATA_DIR: dataDir }
  child = spawn(process.execPath, ['local/main.ts', '--quiet'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for await (const line of createInterface(child.stdout ?? process.stdin)) if (line.startsWith('Ready on ')) return
  throw new Error('the service ended before it was ready')
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

async function until<T>(
  what: string,
  ask: () => Promise<T> | T,
  wanted: (value: T) => boolean,
  seconds = 150,
): Promise<T> {
  for (
    const end = Date.now() + seconds * 1000;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 100))
  ) {
    const value = await ask()
    if (wanted(value)) return value
  }
  throw new Error(`gave up waiting for ${what}`)
}

const instanceOf = async (cookie: string) => (await say('GET', '/instance/status', undefined, cookie)).body

async function conversation(cookie: string, text: string): Promise<string> {
  const { body } = await say('POST', '/chat/messages', { text }, cookie)
  const list = async () =>
    (await say('GET', `/chat/messages?after=${body.message.id}`, undefined, cookie)).body.messages
  return (await until(`an answer to ${text}`, list, (messages) => messages.length > 0))[0].text
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-restart-'))
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  port = Number(Object(probe.address()).port)
  probe.close()
})

afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) await stop('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

describe.each(some(['SIGKILL', 'SIGINT'] as const, 1))('after %s', (signal) => {
  test('all data is still there, and no process was left running', async () => {
    await start()
    const email = `${signal.toLowerCase()}@example.com`
    const asked = await say('POST', '/auth/login', { email })
    const { mails } = await (await fetch(`http://127.0.0.1:${port}/local/mail?to=${email}`)).json()
    const code = /\d{6}/.exec(mails[0].subject)?.[0]
    const { cookie } = await say('POST', '/auth/verify', { email, code }, asked.cookie)
    const checkout = await say('POST', '/checkout', { plan: 'starter' }, cookie)
    await fetch(`${checkout.body.url}/pay`, { method: 'POST' })
    await until(
      'a running instance',
      () => instanceOf(cookie),
      ({ instance, wallet }) => instance?.state === 'running' && wallet.balanceMicros > 0,
    )
    expect(await conversation(cookie, 'My cat is called Turing')).toContain('Turing')
    const before = await until(
      'settled money',
      () => instanceOf(cookie),
      ({ wallet }) => wallet.heldMicros === 0,
    )
    expect(machines(dataDir).length).toBeGreaterThan(0)

    await stop(signal)
    await until(
      'the machines to be gone',
      () => machines(dataDir),
      (left) => left.length === 0,
    )
    await expect(fetch(`http://127.0.0.1:${port}/api/health`)).rejects.toThrow()

    await start()
    const after = await until(
      'a running instance',
      () => instanceOf(cookie),
      ({ instance }) => instance.state === 'running' && instance.generation > before.instance.generation,
    )
    expect(after.instance.id).toBe(before.instance.id)
    expect(after.wallet.balanceMicros).toBe(before.wallet.balanceMicros)
    expect(await conversation(cookie, 'What did I say about my cat?')).toContain('Turing')
    await stop('SIGTERM')
  })
})

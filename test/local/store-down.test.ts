import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { errorBody } from '../../lambdas/kit/errors.ts'
import { compiled } from '../counts.ts'
import { engineOf } from '../service/store.ts'

/** A service of this file's own, whose store is stopped. */
let dataDir: string
let url: string
let end: () => Promise<void>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-down-'))
  const env = { ...compiled, PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dataDir }
  const child = spawn(process.execPath, ['local/main.ts', '--quiet'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  end = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
  for await (const line of createInterface(child.stdout)) {
    url = /^Ready on (\S+)/.exec(line)?.[1] ?? ''
    if (url) break
  }
  child.stdout.resume()
})
afterAll(() => end())

const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
  const sent = { 'content-type': 'application/json', origin: url, ...headers }
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: sent,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('with the store down', () => {
  test('requests that need no store are answered, all others get 500 without internal details', async () => {
    const asked = await ask('POST', '/auth/login', {}, { email: 'a@example.com' })
    const attempt = asked.headers.get('set-cookie')?.split(';')[0] ?? ''
    const { mails } = (await (await fetch(`${url}/local/mail?to=a@example.com`)).json()) as {
      mails: { subject: string }[]
    } // safe because the mailbox has this shape
    const code = /\d{6}/.exec(mails[0]?.subject ?? '')?.[0]
    const verified = await ask('POST', '/auth/verify', { cookie: attempt }, { email: 'a@example.com', code })
    const cookie = verified.headers.get('set-cookie')?.split(';')[0] ?? ''
    const { plaintext } = JSON.parse((await ask('POST', '/tokens', { cookie }, { name: 'a' })).text)
    expect((await ask('GET', '/wallet', { cookie })).status).toBe(200)

    const { pid } = engineOf(dataDir)
    // Connections are still accepted, but requests get no answer.
    process.kill(-pid, 'SIGSTOP')
    const fromMs = performance.now()
    const silent = await Promise.all([
      ask('GET', '/wallet', { cookie }),
      ask('POST', '/tokens', { cookie }, { name: 'b' }),
      ask('POST', '/mcp', { authorization: `Bearer ${plaintext}` }, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    ])
    const tookMs = performance.now() - fromMs
    process.kill(-pid, 'SIGCONT')
    expect(silent.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(tookMs).toBeLessThan(5_500)
    // For a moment after a call without an answer, further calls are not sent.
    while ((await ask('GET', '/wallet', { cookie })).status !== 200)
      expect(performance.now() - fromMs).toBeLessThan(9_000)

    process.kill(pid, 'SIGKILL')
    for (const path of ['/health', '/plans', '/models', '/openapi.json']) {
      expect([path, (await ask('GET', path)).status]).toEqual([path, 200])
    }
    const failing = await Promise.all([
      ask('GET', '/wallet', { cookie }),
      ask('GET', '/wallet', { authorization: `Bearer ${plaintext}` }),
      ask('GET', '/events', { cookie }),
      ask('POST', '/tokens', { cookie }, { name: 'b' }),
      ask('POST', '/auth/login', {}, { email: 'b@example.com' }),
    ])
    for (const { status, headers, text } of failing) {
      expect([status, headers.get('content-type')]).toEqual([500, 'application/json'])
      expect(errorBody.strict().parse(JSON.parse(text))).toEqual({
        error: 'internal',
        message: 'Something failed on our side. Try once more.',
      })
      const logs = await everyLog()
      const id = headers.get('x-request-id') ?? 'none'
      expect(logs.filter((line) => line.includes(id) && line.includes('unhandled error'))).toHaveLength(1)
      expect(logs.some((line) => line.includes(plaintext) || line.includes(cookie.split('=')[1] ?? ''))).toBe(false)
    }
    expect((await ask('GET', '/wallet', { authorization: 'Bearer nonsense' })).status).toBe(401)
  })
})

async function everyLog(): Promise<string[]> {
  const folder = join(dataDir, 'logs', 'functions')
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  return texts.join('\n').split('\n')
}

/**
 * Sockets under fire: 500 connections of 50 users, 25 of whom have a machine, while connections are cut, tokens
 * revoked, and the service is restarted in between. No message may be lost or answered twice, no user may receive
 * another's events, and a revoked connection is cut within 15 s. Writes the results to bench/sockets.md; a tenth of it,
 * `npm run prove sockets:small`, is only printed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Message } from '../domain/chat/message.ts'
import type { ReaderMessage } from '../domain/socket/message.ts'
import { PartJoiner } from '../domain/socket/parts.ts'
import { recordRun } from './kit/record.ts'

const small = process.argv[2] === 'small'
const [hosts, guests, readersEach] = small ? [3, 2, 10] : [25, 25, 10]
const [fireMs, restarts, endMs] = small ? [30_000, 1, 120_000] : [120_000, 2, 300_000]
const repo = join(import.meta.dirname, '..')

const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address() as { port: number } // safe because it listens on TCP
probe.close()
const dataDir = mkdtempSync(join(tmpdir(), 'berth-sockets-'))
const base = `http://127.0.0.1:${port}`
process.env.BERTH_URL = base
const { call, hostedUser, signIn } = await import('../test/service/client.ts')

let service: ChildProcess
async function start(): Promise<void> {
  const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir }
  service = spawn(process.execPath, [join(repo, 'local/main.ts'), '--quiet'], { env, cwd: repo, stdio: 'inherit' })
  while (!(await fetch(`${base}/api/health`).catch(() => null))?.ok) await sleep(200)
}
async function stop(): Promise<void> {
  service.kill('SIGTERM')
  await once(service, 'exit')
}

interface User {
  index: number
  cookie: string
  isHost: boolean
  /** Accepted messages, and those whose acceptance is unknown. */
  sent: string[]
  readers: Reader[]
}

const markOf = (index: number): string => `user-${index}-`
const seen = { foreign: 0, cuts: 0, revoked: 0, slowestCutMs: 0, connects: 0, pieces: 0, lostAnswers: 0 }

/** Follows its user's events as the documentation says, and reconnects whenever it is cut. */
class Reader {
  readonly user: User
  readonly heard = new Map<string, string>()
  #socket: WebSocket | undefined
  #upTo: string | null = null
  #token: { id: string; plaintext: string } | null = null
  #endedBy = ''
  over = false

  constructor(user: User) {
    this.user = user
  }

  /** Retries until it is minted: the service may be stopping or starting. */
  async mint(): Promise<void> {
    const name = `${markOf(this.user.index)}${this.user.readers.length}`
    for (;;) {
      const asked = { name, scopes: ['mcp:*', 'api:chat'] }
      const minted = await call('POST', '/tokens', asked, this.user).catch(() => null)
      if (minted?.status === 201) {
        this.#token = minted.body
        return
      }
      if (minted?.status === 403) throw new Error(`${minted.body.message} The setup took too long.`)
      await sleep(1_000)
    }
  }

  connect(): void {
    if (this.over) return
    const { cookie } = this.user
    const headers = this.#token ? { authorization: `Bearer ${this.#token.plaintext}` } : { cookie, origin: base }
    const socket = new WebSocket(`${base.replace('http', 'ws')}/socket`, { headers })
    const joiner = new PartJoiner()
    socket.on('open', () => {
      seen.connects++
      socket.send(JSON.stringify({ action: 'resume', after: this.#upTo }))
    })
    socket.on('message', (data) => this.#hear(joiner.receive(String(data)) as ReaderMessage | null)) // safe because the service sends these
    socket.on('error', (error) => {
      this.#endedBy = String(error)
    })
    socket.on('close', (code) => {
      if (code !== 1006) this.#endedBy = String(code)
      setTimeout(() => this.connect(), 200 + Math.random() * 800)
    })
    this.#socket = socket
  }

  #hear(message: ReaderMessage | null): void {
    if (message?.type === 'resumed') this.#upTo = message.upTo
    if (message?.type === 'text') seen.pieces++
    for (const event of message?.type === 'events' ? message.events : []) {
      const text = JSON.stringify(event.data)
      const marks = text.match(/user-\d+-/g) ?? []
      if (marks.some((mark) => mark !== markOf(this.user.index))) seen.foreign++
      this.heard.set(event.id, event.type === 'message.sent' ? text : '')
    }
  }

  cut(): void {
    seen.cuts++
    this.#socket?.terminate()
  }

  /** Its token is revoked: the service must end the connection. */
  async revoke(): Promise<void> {
    const token = this.#token
    const socket = this.#socket
    if (!token || socket?.readyState !== WebSocket.OPEN) return
    const answer = await call('DELETE', `/tokens?id=${token.id}`, undefined, this.user).catch(() => null)
    // It is unknown whether the revocation was done before the service stopped.
    if (answer?.status !== 200) return this.mint()
    const atMs = Date.now()
    while (socket.readyState === WebSocket.OPEN && Date.now() - atMs < 20_000) await sleep(20)
    seen.revoked++
    seen.slowestCutMs = Math.max(seen.slowestCutMs, Date.now() - atMs)
    await this.mint()
  }

  /** Requests all events that it may have missed. */
  resume(): void {
    if (this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ action: 'resume', after: this.#upTo }))
  }

  describe(): string {
    const by = this.#token ? `token ${this.#token.id}` : 'cookie'
    return `${markOf(this.user.index)} by ${by}, up to ${this.#upTo}, ended last by ${this.#endedBy}`
  }

  close(): void {
    this.over = true
    this.#socket?.close()
  }
}

/** Sends a message until it is accepted; the key makes repetitions the same message. */
async function say(user: User): Promise<void> {
  const text = `${markOf(user.index)}${user.sent.length}`
  user.sent.push(text)
  const key = { 'idempotency-key': `${text}-${Math.random()}` }
  for (;;) {
    const taken = await call('POST', '/chat/messages', { text }, user, key).catch(() => null)
    if (taken?.status === 202) return
    // The message was accepted, and its answer is lost: the end of the proof checks that it exists once.
    if (taken?.status === 409) {
      seen.lostAnswers++
      return
    }
    await sleep(taken?.status === 429 ? 5_000 : 500)
  }
}

/** Reads again while the service is too busy, as right after a restart. */
async function messagesOf(user: User): Promise<Message[]> {
  for (let tries = 1; ; tries++) {
    const { status, body } = await call('GET', '/chat/messages?limit=100', undefined, user)
    if (status === 200) return body.messages
    if (tries === 20) throw new Error(`reading the messages got ${status} ${JSON.stringify(body)}`)
    await sleep(1_000)
  }
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T // safe because no list here is empty

await start()
const users: User[] = []
try {
  for (let index = 0; index < hosts + guests; index++) {
    const isHost = index < hosts
    const { cookie } = isHost ? await hostedUser(1000) : await signIn()
    const user: User = { index, cookie, isHost, sent: [], readers: [] }
    for (let made = 0; made < readersEach; made++) {
      const reader = new Reader(user)
      // The first two use a token, the others the cookie.
      if (made < 2) await reader.mint()
      user.readers.push(reader)
      reader.connect()
    }
    users.push(user)
  }
  const [hosted, readers] = [users.filter(({ isHost }) => isHost), users.flatMap((user) => user.readers)]
  console.log(`${readers.length} readers of ${users.length} users, ${hosted.length} machines`)

  const saying: Promise<void>[] = []
  const tokens = users.flatMap((user) => user.readers.slice(0, 2))
  const endsMs = Date.now() + fireMs
  let restarted = 0
  while (Date.now() < endsMs) {
    const chance = Math.random()
    if (chance < 0.4) saying.push(say(pick(hosted.filter(({ sent }) => sent.length < 45))))
    else if (chance < 0.9) pick(readers).cut()
    else
      saying.push(
        pick(tokens)
          .revoke()
          .catch(() => {}),
      )
    await sleep(100)
    if (restarted < restarts && Date.now() > endsMs - fireMs + ((restarted + 1) * fireMs) / (restarts + 1)) {
      restarted++
      await stop()
      await start()
    }
  }
  await Promise.all(saying)

  const unanswered = async (): Promise<string[]> => {
    const all = await Promise.all(hosted.map(async (user) => ({ user, messages: await messagesOf(user) })))
    return all.flatMap(({ user, messages }) =>
      user.sent.filter((text) => {
        const asked = messages.find((message) => message.role === 'user' && message.text === text)
        return !messages.some(({ inReplyTo }) => asked && inReplyTo === asked.id)
      }),
    )
  }
  const unheard = async (): Promise<string[]> => {
    const all = await Promise.all(hosted.map(async (user) => ({ user, messages: await messagesOf(user) })))
    return all.flatMap(({ user, messages }) =>
      user.readers.flatMap((reader) => {
        const told = [...reader.heard.values()].join('\n')
        const missing = messages.flatMap(({ role, id }) => (role === 'agent' && !told.includes(id) ? [id] : []))
        return missing.map((id) => `${id}: ${reader.describe()}`)
      }),
    )
  }
  /** The remainder after all had time to arrive; `again` runs before each check. */
  const atLast = async (left: () => Promise<string[]>, again = () => {}): Promise<string[]> => {
    for (const until = Date.now() + endMs; ; await sleep(2_000)) {
      const now = await left()
      if (now.length === 0 || Date.now() > until) return now
      again()
    }
  }
  const waiting = await atLast(unanswered)
  for (const user of hosted)
    if (waiting.some((text) => text.startsWith(markOf(user.index))))
      console.log('unanswered', waiting, (await call('GET', '/instance/status', undefined, user)).body)
  let asked = 0
  const lost = await atLast(unheard, () => {
    // Cut readers have reconnected by then; each gets time for an answer.
    if (asked++ % 10 === 0) for (const reader of readers) reader.resume()
  })
  let twice = 0
  for (const user of hosted) {
    const messages = await messagesOf(user)
    const answers = messages.filter(({ role }) => role === 'agent')
    twice += answers.length - new Set(answers.map(({ inReplyTo }) => inReplyTo)).size
    const questions = messages.filter(({ role }) => role === 'user')
    twice += questions.length - new Set(questions.map(({ text }) => text)).size
  }
  for (const each of lost.slice(0, 20)) console.log('never heard', each)
  const sent = hosted.reduce((sum, user) => sum + user.sent.length, 0)
  const holds =
    waiting.length + twice + lost.length + seen.foreign === 0 && seen.slowestCutMs <= 15_000 && seen.revoked > 0
  const report = `**${holds ? 'Everything held.' : 'It did not hold.'}**

| what happened | |
|---|---|
| messages sent; whose first answer was lost | ${sent}; ${seen.lostAnswers} |
| connections cut; opened | ${seen.cuts}; ${seen.connects} |
| tokens revoked; their connections ended after, at most | ${seen.revoked}; ${seen.slowestCutMs} ms (wanted: 15 s) |
| pieces of growing replies that readers were sent | ${seen.pieces} |
| messages without an answer | ${waiting.length} |
| messages, or answers, that are there twice | ${twice} |
| answers that one of its user's readers never heard of | ${lost.length} |
| events of another user | ${seen.foreign} |
`
  console.log(report)
  recordRun('sockets', { report }, holds)
  process.exitCode = holds ? 0 : 1
} finally {
  for (const user of users) for (const reader of user.readers) reader.close()
  await stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit()

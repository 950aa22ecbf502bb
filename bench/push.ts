/**
 * `npm run prove push`: the time of text from a model to a reader, through machine, socket and push, on this machine;
 * and that a reply of 50,000 characters arrives completely, piece by piece.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { addPiece, noText } from '../domain/socket/growing-text.ts'
import type { ReaderMessage } from '../domain/socket/message.ts'
import { PartJoiner } from '../domain/socket/parts.ts'
import { startBerth } from '../local/main.ts'
import { recordRun } from '../proofs/kit/record.ts'

const rounds = 50
/** The rate limit of a user's messages: one in this many ms. */
const everyMs = 2_800
/** A model that thinks before its first word, then writes word by word; ms. */
const [thinksMs, wordMs, words] = [400, 40, 25]
const longCharacters = 50_000

/** The time at which each word left the model, by the text up to it; ms of `performance.now()`. */
let written: { length: number; atMs: number }[] = []
let long = false

const chunk = (content: string, end = false) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: end ? {} : { content }, finish_reason: end ? 'stop' : null }] })}\n\n`

async function write(response: ServerResponse): Promise<void> {
  written = []
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await sleep(thinksMs)
  const pieces = long
    ? Array.from({ length: longCharacters / 50 }, (_, n) => `${n}`.padEnd(49, '.').concat(' '))
    : Array.from({ length: words }, (_, n) => `word${n} `)
  let length = 0
  for (const piece of pieces) {
    length += piece.length
    written.push({ length, atMs: performance.now() })
    response.write(chunk(piece))
    await sleep(long ? 2 : wordMs)
  }
  response.write(chunk('', true))
  response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } })}\n\n`)
  response.end('data: [DONE]\n\n')
}

const model = createServer((request, response) => {
  if (request.method === 'POST') return void request.resume().on('end', () => void write(response))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ data: [{ id: 'scripted', object: 'model' }] }))
}).listen(0, '127.0.0.1')
await once(model, 'listening')
const { port } = model.address() as AddressInfo // safe because it listens on TCP

const dataDir = mkdtempSync(join(tmpdir(), 'berth-push-'))
const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'k', BERTH_MODEL_PRICE: '0.10/0.40' }
const berth = await startBerth({ port: 0, dataDir, quiet: true }, env)
process.env.BERTH_URL = berth.url
const { call, hostedUser } = await import('../test/service/client.ts')

/** Sends a message and follows its reply to the end. */
async function turn(cookie: string, socket: WebSocket) {
  const joiner = new PartJoiner()
  const arrived: { length: number; atMs: number }[] = []
  let held = noText
  let reply = ''
  const done = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const message = joiner.receive(String(data)) as ReaderMessage | null // safe because the service sends these
      if (message?.type === 'text') {
        held = addPiece(held, message).held
        arrived.push({ length: held.text.length, atMs: performance.now() })
      }
      for (const { type, data: about } of message?.type === 'events' ? message.events : []) {
        if (type === 'message.sent') reply = (about.message as { text: string }).text // safe because the event has its message
        if (type === 'prompt.closed') resolve()
      }
    })
  })
  const startedMs = performance.now()
  const { status } = await call('POST', '/chat/messages', { text: 'Write.' }, { cookie })
  if (status !== 202) throw new Error(`the message was answered ${status}`)
  await done
  socket.removeAllListeners('message')
  const delays = written.flatMap(({ length, atMs }) => {
    const shown = arrived.find((piece) => piece.length >= length)
    return shown ? [shown.atMs - atMs] : []
  })
  const [first] = written
  const [shown] = arrived
  return {
    modelMs: (first?.atMs ?? 0) - startedMs,
    shownMs: (shown?.atMs ?? 0) - startedMs,
    delays,
    text: held.text,
    pieces: arrived.length,
    reply,
  }
}

const at = (numbers: number[], share: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
}

try {
  const { cookie } = await hostedUser(1000)
  await call('PUT', '/instance/model', { model: 'own/scripted' }, { cookie })
  const socket = new WebSocket(`${berth.url.replace('http', 'ws')}/socket`, { headers: { cookie, origin: berth.url } })
  await once(socket, 'open')
  await turn(cookie, socket)
  const turns: Awaited<ReturnType<typeof turn>>[] = []
  for (let round = 0; round < rounds; round++) {
    const next = sleep(everyMs)
    turns.push(await turn(cookie, socket))
    await next
  }
  const [model50, shown50] = [
    at(
      turns.map(({ modelMs }) => modelMs),
      0.5,
    ),
    at(
      turns.map(({ shownMs }) => shownMs),
      0.5,
    ),
  ]
  const delays = turns.flatMap((each) => each.delays)
  long = true
  const whole = await turn(cookie, socket)
  socket.close()
  const most = Math.round(1.5 * model50 + 150)
  console.log(`message to the model's first byte, p50 of ${rounds}: ${model50} ms`)
  console.log(`message to the first text a reader has, p50: ${shown50} ms (wanted: ≤ ${most})`)
  console.log(
    `a word from the model to a reader: p50 ${at(delays, 0.5)} ms, p95 ${at(delays, 0.95)} ms (wanted: p50 ≤ 100)`,
  )
  const isWhole = whole.reply.length === longCharacters - 1 && whole.reply.startsWith(whole.text.trimEnd())
  console.log(
    `a reply of ${whole.reply.length} characters: ${whole.text.length} of them in ${whole.pieces} pieces before it, ${isWhole ? 'each once' : 'NOT AS IT IS'}`,
  )
  const table = [
    '| | p50 | p95 | wanted |',
    '|---|---|---|---|',
    `| a message to the model's first byte | ${model50} ms | | |`,
    `| a message to the first text a reader has | ${shown50} ms | | 1.5 × the above + 150 ms = ${most} ms |`,
    `| a word from the model to a reader | ${at(delays, 0.5)} ms | ${at(delays, 0.95)} ms | p50 100 ms |`,
  ].join('\n')
  const holds = shown50 <= most && at(delays, 0.5) <= 100 && isWhole
  recordRun('push', { table, characters: whole.text.length, pieces: whole.pieces }, holds)
  process.exitCode = holds ? 0 : 1
} finally {
  await berth.stop()
  model.close()
  model.closeAllConnections()
  rmSync(dataDir, { recursive: true, force: true })
}

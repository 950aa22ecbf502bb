/**
 * `npm run prove restore-points`, or `restore-points:<folder>`: restore points of a volume of 20 GiB in 100,000 files,
 * which it creates in that folder and deletes again. Each point is taken by its own process, against a service that
 * stores names and no bytes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createCipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Service } from '../agent/kit/service.ts'
import { Store } from '../agent/volume/store.ts'
import { takeRestorePoint } from '../agent/volume/take-restore-point.ts'
import { recordRun } from '../proofs/kit/record.ts'
import { watchReads } from '../test/agent/volume/content-reads.ts'

const count = 100_000
const perFolder = 100
const KiB = 1024
const MiB = 1024 * KiB
/** Sizes in a set of a thousand files: one large, 99 middle, 900 small; 20 GiB in all. */
const sizes = { large: 151 * MiB, middle: 400 * KiB, small: 16 * KiB }
const sizeOf = (i: number) => (i % 1_000 === 0 ? sizes.large : i % 10 === 0 ? sizes.middle : sizes.small)
const pathOf = (i: number) => `workspace/${Math.floor(i / perFolder / 10)}/${Math.floor(i / perFolder)}/file-${i}`

interface Measured {
  seconds: number
  contentRead: number
  memoryMiB: number
  asked: number
  files: number
  bytes: number
  chunks: number
  newBytes: number
}

/** Unique bytes for each file, on the disk. */
function makeVolume(volume: string): void {
  const bytes = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16))
  const zeros = Buffer.alloc(MiB)
  for (let i = 0; i < count; i++) {
    const path = join(volume, pathOf(i))
    if (i % perFolder === 0) mkdirSync(join(path, '..'), { recursive: true })
    const file = openSync(path, 'w')
    for (let left = sizeOf(i); left > 0; left -= MiB)
      writeSync(file, bytes.update(zeros.subarray(0, Math.min(left, MiB))))
    closeSync(file)
  }
}

/** The service's part in a restore point: names of stored pieces, and addresses for the others. */
async function serve(): Promise<void> {
  const stored = new Set<string>()
  let asked = 0
  const server = createServer(async (request, response) => {
    const { pathname, origin } = new URL(request.url ?? '', `http://${request.headers.host}`)
    if (request.method === 'PUT') {
      for await (const _ of request);
      stored.add(pathname.slice('/store/'.length))
      return void response.end()
    }
    let text = ''
    for await (const part of request) text += part
    asked++
    const { put }: { put: { name: string }[] } = JSON.parse(text)
    const missing = put.filter(({ name }) => name.length < 64 || !stored.has(name))
    const addresses = Object.fromEntries(missing.map(({ name }) => [name, `${origin}/store/${name}`]))
    response.end(JSON.stringify({ put: addresses, get: {} }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  process.send?.({ api: `http://127.0.0.1:${address.port}` })
  process.on('message', () => process.send?.({ asked }))
}

async function take(volume: string, api: string, readAll: boolean): Promise<void> {
  const reads = await watchReads(volume)
  const service = new Service({ api, tokens: { files: 'bench' }, tokenMs: 3_600_000 }, () => {})
  const scratch = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  const before = process.memoryUsage.rss()
  const start = performance.now()
  const taken = await takeRestorePoint(
    volume,
    scratch,
    new Store(service, 'tsk_1'),
    readAll ? { readAllAfterMs: 0 } : {},
  )
  const seconds = (performance.now() - start) / 1_000
  const memoryMiB = (process.resourceUsage().maxRSS * KiB - before) / MiB
  rmSync(scratch, { recursive: true })
  const contentRead = Object.values(reads.take()).reduce((sum, bytes) => sum + bytes, 0)
  const { files, bytes } = taken.summary
  const { chunks, newBytes } = taken
  process.send?.({ seconds, contentRead, memoryMiB, files, bytes, chunks, newBytes })
  process.disconnect?.()
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message')
  return message
}

async function bench(folder: string): Promise<void> {
  const self = fileURLToPath(import.meta.url)
  const volume = mkdtempSync(join(folder, 'berth-volume-'))
  const server = fork(self, ['serve'])
  try {
    const { api } = await answerOf<{ api: string }>(server)
    const started = performance.now()
    makeVolume(volume)
    console.log(`made in ${((performance.now() - started) / 1_000).toFixed(0)} s; Node ${process.version}`)
    // Files that changed within the last minute would be read again.
    await sleep(61_000)
    const rows = [
      '| point | s | content read, MiB | files | chunks | new, MiB | requests | memory, MiB | load |',
      '|---|---|---|---|---|---|---|---|---|',
    ]
    let askedBefore = 0
    const point = async (what: string, readAll = false) => {
      const child = fork(self, ['take', volume, api, String(readAll)])
      const { seconds, contentRead, memoryMiB, files, chunks, newBytes } = await answerOf<Measured>(child)
      server.send('asked')
      const { asked } = await answerOf<{ asked: number }>(server)
      const mib = (bytes: number) => (bytes / MiB).toFixed(bytes > 0 && bytes < 10 * MiB ? 2 : 0)
      const load = loadavg()[0]?.toFixed(1)
      const cells = [what, seconds.toFixed(1), mib(contentRead), files, chunks, mib(newBytes), asked - askedBefore]
      const row = `| ${[...cells, memoryMiB.toFixed(0), load].join(' | ')} |`
      console.log(row)
      rows.push(row)
      askedBefore = asked
    }
    await point('first')
    await point('nothing changed')
    await point('nothing changed')
    for (let i = 1; i <= 1_000; i++) appendFileSync(join(volume, pathOf(i * 7 + 1)), 'more')
    await point('1,000 files appended to')
    appendFileSync(join(volume, pathOf(5_000)), 'more')
    chmodSync(join(volume, pathOf(11)), 0o600)
    utimesSync(join(volume, pathOf(12)), 1, 1)
    rmSync(join(volume, 'workspace', '3'), { recursive: true })
    await point('a file of 151 MiB appended to, 1,000 files deleted')
    await point('the week is over', true)
    await point('nothing changed')
    recordRun('restore-points', { table: rows.join('\n') })
  } finally {
    server.kill()
    rmSync(volume, { recursive: true, force: true })
  }
}

const [what = tmpdir(), volume = '', api = '', readAll = ''] = process.argv.slice(2)
if (what === 'serve') await serve()
else if (what === 'take') await take(volume, api, readAll === 'true')
else await bench(what)

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { artifacts } from '../../../adapters/aws/artifacts.ts'
import { storage } from '../../../adapters/aws/storage.ts'
import { readEnv } from '../../../adapters/env.ts'
import type { Artifacts, Storage } from '../../../app/ports/files.ts'
import { unpackedList } from '../../../domain/files/storage.ts'
import { awsEmulator, type RunningAws } from '../../../emulators/aws/emulator.ts'
import { full } from '../../counts.ts'

let cloud: RunningAws
let port: Storage
let eraser: Artifacts
const dataDir = mkdtempSync(join(tmpdir(), 'berth-storage-'))

beforeAll(async () => {
  const taskCommand = () => ({ file: process.execPath, args: [], cwd: '/' })
  cloud = await awsEmulator.start({ stateFolder: dataDir, log: () => {}, taskCommand, onEvent: () => {} })
  Object.assign(process.env, cloud.env)
  const env = readEnv({ FILES_BUCKET: 'berth-files' })
  eraser = artifacts(env)
  port = storage(env)
})
afterAll(async () => {
  await cloud.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const put = (address: string, body: Buffer, headers: Record<string, string> = {}) =>
  fetch(address, { method: 'PUT', body: new Uint8Array(body), headers })

describe('a presigned upload URL', () => {
  const bytes = Buffer.from('what the tide brought')

  it('accepts exactly the bytes it was signed for', async () => {
    const address = await port.putAddress('instances/a/chunks/x', bytes.length, hashOf(bytes).toString('hex'))
    const checksum = { 'x-amz-checksum-sha256': hashOf(bytes).toString('base64') }
    const other = Buffer.from(bytes).fill('z')
    expect((await put(address, bytes)).status).toBe(403)
    expect((await put(address, other, checksum)).status).toBe(400)
    expect((await put(address, other, { 'x-amz-checksum-sha256': hashOf(other).toString('base64') })).status).toBe(403)
    expect((await put(address, Buffer.concat([bytes, bytes]), checksum)).status).toBe(403)
    expect((await put(address, bytes, checksum)).status).toBe(200)
    expect(Buffer.from(await port.read('instances/a/chunks/x', 5, 9)).toString()).toBe('the ')
  })

  it('works only for its own key and method', async () => {
    const address = await port.putAddress('instances/a/points/1', bytes.length)
    expect((await put(address.replace('/a/', '/b/'), bytes)).status).toBe(403)
    expect((await fetch(address)).status).toBe(403)
    expect((await put(address, bytes)).status).toBe(200)
    expect(await port.size('instances/b/points/1')).toBeNull()
  })
})

it('a presigned download URL serves the object as an attachment', async () => {
  const bytes = Buffer.from('<script>alert(1)</script>')
  await put(await port.putAddress('handover/a/1', bytes.length), bytes)
  const answer = await fetch(await port.getAddress('handover/a/1', 'Grüße "2".html'))
  expect(await answer.text()).toBe(bytes.toString())
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="Gr__e _2_.html"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%222%22.html`,
  )
})

it('reads gzipped lines, lists a prefix and removes objects', async () => {
  const text = gzipSync(Array.from({ length: 5_000 }, (_, i) => `line ${i}\n`).join(''))
  await put(await port.putAddress('instances/c/points/1/files.gz', text.length), text)
  const lines: string[] = []
  for await (const line of port.lines('instances/c/points/1/files.gz')) lines.push(line)
  expect([lines.length, lines.at(-1)]).toEqual([5_000, 'line 4999'])
  for (let i = 0; i < 3; i++) await put(await port.putAddress(`instances/c/chunks/${i}`, 1), Buffer.from(String(i)))
  const listed: string[] = []
  for await (const key of port.list('instances/c/chunks/')) listed.push(key)
  expect(listed).toEqual(['instances/c/chunks/0', 'instances/c/chunks/1', 'instances/c/chunks/2'])
  await port.remove(listed)
  expect(await port.size('instances/c/chunks/1')).toBeNull()
  expect(await port.size('instances/c/points/1/files.gz')).toBe(text.length)
})

describe('a gzipped list that unpacks without limit', () => {
  const keep = async (packed: Buffer) => {
    await put(await port.putAddress('instances/d/points/1/files.gz', packed.length), packed)
    let [lines, longest] = [0, 0]
    const read = async () => {
      for await (const line of port.lines('instances/d/points/1/files.gz')) {
        lines++
        longest = Math.max(longest, line.length)
      }
    }
    const error = await read().catch((thrown: unknown) => thrown)
    return { error, lines, longest }
  }

  it('is rejected when a line has no end, before much of it is in memory', async () => {
    const before = process.memoryUsage().rss
    const { error, lines } = await keep(Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x')))))
    expect(error).toMatchObject({ code: 'conflict' })
    expect(lines).toBe(0)
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024)
  })

  const long = `${'x'.repeat(unpackedList.lineCharacters - 1)}\n`
  const member = gzipSync(long.repeat(256))
  const members = Math.ceil(unpackedList.bytes / (long.length * 256))

  it('is read as far as its lines are valid', async () => {
    expect(await keep(Buffer.concat(Array(4).fill(member)))).toEqual({
      error: undefined,
      lines: 4 * 256,
      longest: long.length - 1,
    })
  })

  const inFull = full ? it : it.skip
  inFull('is refused when it is too long in all', async () => {
    const { error, lines } = await keep(Buffer.concat(Array(members + 1).fill(member)))
    expect(error).toMatchObject({ code: 'conflict' })
    expect(lines).toBeLessThanOrEqual(members * 256)
  })
})

describe('erasing an instance’s objects', () => {
  const keep = async (key: string) => {
    const body = Buffer.from('x')
    expect((await put(await port.putAddress(key, body.length), body)).status).toBe(200)
  }
  const keysOf = async (folder: string) => {
    const keys: string[] = []
    for await (const key of port.list(folder)) keys.push(key)
    return keys
  }

  it('deletes all of them, page by page, whatever their names, and nothing of another instance', async () => {
    const chunks = Array.from({ length: 1_040 }, (_, i) => `instances/ins_e/chunks/${i}`)
    for (let from = 0; from < chunks.length; from += 40) await Promise.all(chunks.slice(from, from + 40).map(keep))
    await keep('instances/ins_e/points/<&>"é/files.gz')
    await keep('handover/ins_e/tsk_1')
    await keep('instances/ins_other/chunks/1')
    expect(await eraser.erase('ins_e')).toBe(true)
    expect(await keysOf('instances/')).toEqual(expect.arrayContaining(['instances/ins_other/chunks/1']))
    expect([...(await keysOf('instances/ins_e/')), ...(await keysOf('handover/ins_e/'))]).toEqual([])
    expect(await eraser.erase('ins_e')).toBe(true)
  })
})

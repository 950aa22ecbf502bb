import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Service } from '../../../agent/kit/service.ts'
import { summarize } from '../../../agent/volume/files.ts'
import { runVolumeJob } from '../../../agent/volume/jobs.ts'
import { Store } from '../../../agent/volume/store.ts'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import type { Task } from '../../../domain/agent/task.ts'
import { ProtocolServer } from '../protocol-server.ts'

let around: string
let volume: string
let socket: Server
let server: ProtocolServer
const secret = 'what lies outside the volume'
/** A name with invalid UTF-8, and its written form. */
const raw = Buffer.from([0x66, 0xff, 0x5c, 0xc3, 0xa9])
const rawText = 'f\\xff\\\\é'
const inRaw = (...parts: (string | Buffer)[]) =>
  Buffer.concat(
    parts.flatMap((part, i) => [Buffer.from(i === 0 ? part : '/'), ...(i === 0 ? [] : [Buffer.from(part)])]),
  )

beforeEach(async () => {
  server = await new ProtocolServer().start()
  around = mkdtempSync(join(tmpdir(), 'berth-around-'))
  volume = join(around, 'volume')
  mkdirSync(join(volume, 'workspace', 'deep'), { recursive: true })
  mkdirSync(join(volume, 'config'))
  mkdirSync(join(around, 'outside'))
  writeFileSync(join(around, 'outside', 'secret'), secret)
  writeFileSync(join(volume, 'config', 'ours'), 'ours')
  writeFileSync(join(volume, 'workspace', 'plain.txt'), 'plain')
  writeFileSync(join(volume, 'workspace', 'deep', 'empty'), '')
  writeFileSync(inRaw(join(volume, 'workspace'), raw), 'raw')
  symlinkSync(join(around, 'outside', 'secret'), join(volume, 'workspace', 'link'))
  symlinkSync(join(around, 'outside'), join(volume, 'workspace', 'linked-folder'))
  symlinkSync('../../outside/secret', join(volume, 'workspace', 'relative-link'))
  symlinkSync('nowhere', join(volume, 'workspace', 'broken-link'))
  symlinkSync('.', join(volume, 'workspace', 'loop'))
  execFileSync('mkfifo', [join(volume, 'workspace', 'pipe')])
  socket = createServer()
  await new Promise<void>((resolve) => socket.listen(join(volume, 'workspace', 's'), resolve))
})
afterEach(async () => {
  await server.stop()
  await new Promise((resolve) => socket.close(resolve))
  rmSync(around, { recursive: true, force: true })
})

const context = {
  idle: () => true,
  whileHeld: <T>(work: () => Promise<T>) => work(),
  whileStopped: <T>(work: () => Promise<T>) => work(),
  still: <T>(work: () => Promise<T>) => work(),
}
const run = async (job: Task['job'], again = false): Promise<Record<string, unknown>> => {
  const { api } = server
  const tokens = server.newGeneration()
  const service = new Service({ api, tokens, tokenMs: server.tokenMs }, () => {})
  const outcome = await runVolumeJob(
    job,
    { volume, journal: new TurnJournal(volume), ...context },
    new Store(service, 'tsk_1'),
    again,
  )
  return 'result' in outcome ? outcome.result : outcome.failure
}
const snapshot: Task['job'] = { kind: 'snapshot', pointId: 'rsp_1' }
const restore = (path: string | null) => run({ kind: 'restore', pointId: 'rsp_1', path })
const everything = (objects: Map<string, Buffer>) => Buffer.concat([...objects.values()]).toString('latin1')

describe('a listing', () => {
  it('names every entry with its kind, and follows no link', async () => {
    const { entries } = await run({ kind: 'list', path: 'workspace', after: null, limit: 100 })
    const kinds = Object.fromEntries(
      (entries as { name: string; kind: string }[]).map(({ name, kind }) => [name, kind]),
    ) // safe because a listing holds these
    expect(kinds).toEqual({
      ...{ 'plain.txt': 'file', deep: 'folder', [rawText]: 'file', pipe: 'other', s: 'other' },
      ...{ link: 'link', 'linked-folder': 'link', 'relative-link': 'link', 'broken-link': 'link', loop: 'link' },
    })
  })

  it('returns a folder page by page', async () => {
    mkdirSync(join(volume, 'many'))
    for (let i = 0; i < 700; i++) writeFileSync(join(volume, 'many', `n${i}`), '')
    const names: string[] = []
    let after: string | null = null
    do {
      const page: Record<string, unknown> = await run({ kind: 'list', path: 'many', after, limit: 50 })
      names.push(...(page.entries as { name: string }[]).map(({ name }) => name)) // safe because a listing holds these
      after = typeof page.next === 'string' ? page.next : null
    } while (after !== null)
    expect(names).toEqual(Array.from({ length: 700 }, (_, i) => `n${i}`).sort())
  })
})

describe('reading one file', () => {
  const read = (path: string) => run({ kind: 'read', path })

  it('returns its bytes, whatever its name is', async () => {
    expect(await read('workspace/plain.txt')).toMatchObject({
      size: 5,
      content: Buffer.from('plain').toString('base64'),
    })
    expect(await read(`workspace/${rawText}`)).toMatchObject({ content: Buffer.from('raw').toString('base64') })
    expect(await read('workspace/deep/empty')).toMatchObject({ size: 0, content: '' })
  })

  it('uploads a large file to storage', async () => {
    const large = randomBytes(300_000)
    writeFileSync(join(volume, 'workspace', 'large'), large)
    expect(await run({ kind: 'read', path: 'workspace/large' })).toEqual({ kind: 'read', size: 300_000 })
    expect(server.objects.get('handover')?.equals(large)).toBe(true)
  })

  it.each([
    ['workspace/link', /link/],
    ['workspace/relative-link', /link/],
    ['workspace/broken-link', /link/],
    ['workspace/linked-folder/secret', /not a folder|link/],
    ['workspace/loop/plain.txt', /not a folder|link/],
    ['workspace/pipe', /not a regular file|pipe/],
    ['workspace/s', /socket/],
    ['workspace/deep', /not a regular file/],
    ['workspace/plain.txt/x', /not a folder/],
    ['../outside/secret', /does not lead into/],
    ['workspace/../../outside/secret', /does not lead into/],
    ['/etc/passwd', /does not lead into/],
    ['workspace/nothing', /nothing of that name/],
    ['', /Name a file/],
  ])('gives a clear error for %j', async (path, why) => {
    const answer = await read(path)
    expect(answer.message).toMatch(why)
    expect(JSON.stringify(answer)).not.toContain(Buffer.from(secret).toString('base64'))
  })

  it('refuses a device', async () => {
    const made = spawnSync('mknod', [join(volume, 'workspace', 'zero'), 'c', '1', '5'])
    if (made.status !== 0) return expect(process.getuid?.()).not.toBe(0)
    expect((await read('workspace/zero')).message).toMatch(/not a regular file|cannot be read/)
    const { summary } = await run(snapshot)
    expect(summary).toMatchObject({ skipped: { devices: 1 } })
  })
})

describe('a restore point', () => {
  it('holds all regular files, counts the skipped ones, and reads nothing outside the volume', async () => {
    const answer = await run(snapshot)
    const skipped = { links: 5, devices: 0, sockets: 1, pipes: 1, unreadable: 0 }
    expect(answer).toMatchObject({ summary: { files: 3, bytes: 8, skipped } })
    expect(everything(server.objects)).not.toContain(secret)
    expect(everything(server.objects)).not.toContain('ours')
  })

  it('stores only new pieces', async () => {
    // Always the same bytes: they decide where the chunks end, and how many chunks two changes share.
    const large = createHash('shake256', { outputLength: 24 * 1024 * 1024 })
      .update('large')
      .digest()
    writeFileSync(join(volume, 'workspace', 'large'), large)
    const first = await run(snapshot)
    expect(first.newBytes).toBeGreaterThan(large.length)
    expect(await run(snapshot)).toMatchObject({ newBytes: 0, chunks: first.chunks })
    large.writeUInt32LE(7, 12 * 1024 * 1024)
    writeFileSync(join(volume, 'workspace', 'large'), Buffer.concat([Buffer.from('before'), large]))
    expect((await run(snapshot)).newBytes).toBeLessThan(large.length / 2)
  })

  it('restores one file, or all of them exactly', async () => {
    const large = randomBytes(3 * 1024 * 1024)
    writeFileSync(join(volume, 'workspace', 'deep', 'large'), large, { mode: 0o640 })
    await run(snapshot)
    rmSync(join(volume, 'workspace', 'deep'), { recursive: true })
    symlinkSync(join(around, 'outside'), join(volume, 'workspace', 'deep'))
    expect(await restore('workspace/deep/large')).toMatchObject({ files: 1 })
    expect(readFileSync(join(volume, 'workspace', 'deep', 'large')).equals(large)).toBe(true)
    expect(readdirSync(join(around, 'outside'))).toEqual(['secret'])
    expect((await restore('workspace/none')).message).toMatch(/no such file/)

    writeFileSync(join(volume, 'workspace', 'later'), 'made later')
    writeFileSync(join(volume, 'workspace', 'plain.txt'), 'spoilt')
    expect(await restore(null)).toMatchObject({ files: 4 })
    expect(readFileSync(join(volume, 'workspace', 'plain.txt'), 'utf8')).toBe('plain')
    expect(readFileSync(inRaw(join(volume, 'workspace'), raw), 'utf8')).toBe('raw')
    expect(existsSync(join(volume, 'workspace', 'later'))).toBe(false)
    expect(readdirSync(join(volume, '.berth'), { recursive: true }).sort()).toEqual(['tasks', 'tasks/tsk_1', 'trash'])
    expect(readFileSync(join(volume, 'config', 'ours'), 'utf8')).toBe('ours')
  })

  it('skips packages that the agent installed, whose links no point has: a restore leaves them unchanged, and they count towards the size', async () => {
    const bin = join(volume, 'packages', 'npm', 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, '../program.js'), 'program')
    symlinkSync('../program.js', join(bin, 'program'))
    expect(await run(snapshot)).toMatchObject({ summary: { files: 3, bytes: 8 } })
    expect(await summarize(volume)).toMatchObject({ files: 4, bytes: 8 + 'program'.length })
    writeFileSync(join(bin, '../program.js'), 'program, newer')
    expect(await restore(null)).toMatchObject({ files: 3 })
    expect(readFileSync(join(bin, 'program'), 'utf8')).toBe('program, newer')
  })
})

it('an export is an archive that tar can read', async () => {
  const long = `${'long-'.repeat(30)}name`
  writeFileSync(join(volume, 'workspace', long), 'long')
  expect(await run({ kind: 'export' })).toMatchObject({ summary: { files: 4 } })
  const into = join(around, 'into')
  mkdirSync(into)
  execFileSync('tar', ['-xzf', '-', '-C', into], { input: server.objects.get('handover') })
  expect(readFileSync(join(into, 'workspace', long), 'utf8')).toBe('long')
  expect(readFileSync(inRaw(join(into, 'workspace'), raw), 'utf8')).toBe('raw')
  expect(readdirSync(into)).toEqual(['workspace'])
})

it('a listing does not show the supervisor’s own files', async () => {
  mkdirSync(join(volume, '.berth'))
  const { entries } = await run({ kind: 'list', path: '', after: null, limit: 100 })
  expect(entries).toMatchObject([{ name: 'config' }, { name: 'workspace' }])
})

describe('a change', () => {
  const at = (name: string) => join(volume, 'workspace', name)
  const write = (text: string): Task['job'] => ({
    kind: 'write',
    path: 'workspace/new',
    replaces: 'nothing',
    content: Buffer.from(text).toString('base64'),
    upload: null,
  })
  const jobs: Task['job'][] = [
    write('new'),
    { kind: 'make-folder', path: 'workspace/made' },
    { kind: 'move', from: 'workspace/plain.txt', to: 'workspace/moved.txt', replace: false },
    { kind: 'remove', path: 'workspace/deep' },
  ]

  it.each(jobs)(
    '$kind, done by a machine that died before it reported, is found done by the next machine, and by nobody else',
    async (job) => {
      const done = { kind: job.kind }
      expect(await run(job)).toEqual(done)
      expect(await run(job)).toHaveProperty('code')
      expect(await run(job, true)).toEqual(done)
    },
  )

  it('that is repeated and was not done is refused as the first time', async () => {
    writeFileSync(at('new'), 'theirs')
    expect(await run(write('mine'), true)).toMatchObject({ code: 'conflict' })
    expect(readFileSync(at('new'), 'utf8')).toBe('theirs')
    expect(await run({ kind: 'move', from: 'workspace/none', to: 'workspace/x', replace: false }, true)).toMatchObject({
      code: 'not-found',
    })
  })

  it('downloads the uploaded file, and writes nothing else', async () => {
    const content = Buffer.from('uploaded')
    const sha256 = createHash('sha256').update(content).digest('hex')
    const job = (bytes: number): Task['job'] => ({
      ...write(''),
      kind: 'write',
      path: 'workspace/up',
      replaces: 'nothing',
      content: null,
      upload: { id: 'att_1', bytes, sha256 },
    })
    server.objects.set('upload', Buffer.from('uploadeD'))
    expect(await run(job(8))).toMatchObject({ code: 'internal' })
    server.objects.set('upload', content)
    expect(await run(job(7))).toMatchObject({ code: 'internal' })
    expect(existsSync(at('up'))).toBe(false)
    expect(await run(job(8))).toEqual({ kind: 'write' })
    expect(readFileSync(at('up'))).toEqual(content)
  })
})

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Inbox, safeName } from '../../../agent/supervisor/inbox.ts'
import { OutgoingFiles } from '../../../agent/supervisor/outgoing-files.ts'
import type { Prompt } from '../../../domain/chat/message.ts'

const content = Buffer.from('day,high\n1,14:10\n')
let volume: string
let server: Server
/** The storage's answer. */
let answer: () => Buffer
let status = 200
let asked = 0

beforeAll(async () => {
  server = createServer((_, response) => {
    asked++
    response.writeHead(status).end(answer())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'berth-inbox-'))
  answer = () => content
  status = 200
  asked = 0
})
afterEach(() => rmSync(volume, { recursive: true, force: true }))

const sha256 = createHash('sha256').update(content).digest('hex')
const file = (name = 'tides.csv', more: object = {}) => {
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const described = { id: 'att_1', name, type: 'text/csv', bytes: content.length, sha256 }
  return { ...described, url: `http://127.0.0.1:${port}/file`, ...more }
}
const prompt = (...attachments: ReturnType<typeof file>[]) =>
  ({ id: 'prm_1', messageId: 'msg_1', text: 'Hi', attachments }) as unknown as Prompt // safe because no code here reads the other fields
const place = async (...files: ReturnType<typeof file>[]) =>
  (await new Inbox(volume).place(prompt(...files))).attachments?.map(({ path, problem }) => path ?? problem)
const inbox = () => readdirSync(join(volume, 'inbox/msg_1'))

describe('the inbox', () => {
  it('downloads a file completely, and only once', async () => {
    expect(await place(file())).toEqual(['inbox/msg_1/tides.csv'])
    expect(readFileSync(join(volume, 'inbox/msg_1/tides.csv'))).toEqual(content)
    expect(await place(file())).toEqual(['inbox/msg_1/tides.csv'])
    expect([asked, inbox()]).toEqual([1, ['tides.csv']])
  })

  it('shows no address, and leaves a prompt without files unchanged', async () => {
    const placed = await new Inbox(volume).place(prompt(file()))
    expect(JSON.stringify(placed)).not.toMatch(/http|sha256|att_/)
    expect(await new Inbox(volume).place({ id: 'prm_1', text: 'Hi' } as Prompt)).toEqual({ id: 'prm_1', text: 'Hi' })
  })

  it('downloads a file once for two concurrent requests', async () => {
    const inbox = new Inbox(volume)
    await Promise.all([inbox.place(prompt(file())), inbox.place(prompt(file()))])
    expect(asked).toBe(1)
  })

  it.each([403, 404])(
    'does not retry after status %i, and reports that the file could not be downloaded',
    async (refused) => {
      status = refused
      expect(await place(file())).toEqual(['It could not be fetched.'])
      expect([asked, inbox()]).toEqual([1, []])
    },
  )

  it('retries while storage is busy', async () => {
    status = 503
    answer = () => {
      status = 200
      return content
    }
    expect(await place(file())).toEqual(['inbox/msg_1/tides.csv'])
    expect(asked).toBe(2)
  })

  it('gives files of one message different names', async () => {
    const paths = await place(
      file('a.txt'),
      file('A.TXT'),
      file('x/../a.txt'),
      file('..'),
      file('.bashrc'),
      file('-rf'),
    )
    expect(paths).toEqual(
      ['a.txt', 'A-2.TXT', 'x_.._a.txt', 'file', 'bashrc', 'rf'].map((name) => `inbox/msg_1/${name}`),
    )
    expect(new Set(inbox().map((name) => name.toLowerCase())).size).toBe(6)
  })

  it('overwrites no file, and does not write through a link', async () => {
    mkdirSync(join(volume, 'inbox/msg_1'), { recursive: true })
    writeFileSync(join(volume, 'inbox/msg_1/tides.csv'), 'mine')
    writeFileSync(join(volume, 'outside'), 'secret')
    symlinkSync(join(volume, 'outside'), join(volume, 'inbox/msg_1/link'))
    expect(await place(file(), file('link'), file('other'))).toEqual([
      'inbox/msg_1/tides.csv',
      'Something else has its name in the inbox.',
      'inbox/msg_1/other',
    ])
    expect(readFileSync(join(volume, 'inbox/msg_1/tides.csv'), 'utf8')).toBe('mine')
    expect(readFileSync(join(volume, 'outside'), 'utf8')).toBe('secret')
  })

  it('is not read when it is a link to another folder', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'))
    symlinkSync(elsewhere, join(volume, 'inbox'))
    const [problem] = (await place(file())) ?? []
    expect(problem).toMatch(/not a folder|link/)
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(elsewhere, { recursive: true })
  })

  it.each([
    ['other bytes', Buffer.from(content).fill('x')],
    ['more bytes', Buffer.concat([content, content])],
    ['fewer', content.subarray(1)],
  ])('keeps nothing of a file with %s', async (_, wrong) => {
    answer = () => wrong
    expect(await place(file())).toEqual(['It could not be fetched.'])
    expect(inbox()).toEqual([])
  })

  it('reports that the volume is full, and leaves no partial file', async () => {
    const mount = ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', volume]
    try {
      execFileSync('mount', mount, { stdio: 'ignore' })
    } catch {
      return // only root can create a small file system
    }
    try {
      const large = Buffer.alloc(200_000, 'x')
      answer = () => large
      const sha256 = createHash('sha256').update(large).digest('hex')
      expect(await place(file('large.bin', { bytes: large.length, sha256 }))).toEqual(['The volume is full.'])
      expect(inbox()).toEqual([])
    } finally {
      execFileSync('umount', [volume])
    }
  })
})

describe('the safe name', () => {
  it.each([
    ['Über den Fluß.pdf', 'Über den Fluß.pdf'],
    ['a\nb.txt', 'a_b.txt'],
    ['photo\u202egnp.exe', 'photo_gnp.exe'],
    ['C:\\temp\\a.txt', 'C__temp_a.txt'],
    ['   ', 'file'],
    ['...', 'file'],
    [`${'ü'.repeat(200)}.png`, `${'ü'.repeat(75)}.png`],
    ['archive.tar.gz', 'archive.tar.gz'],
  ])('for %j is %j', (name, safe) => {
    expect(safeName(name)).toBe(safe)
  })
})

describe('files that are sent with a report', () => {
  const uploads: object[] = []
  const service = {
    async call(_: string, __: string, { body }: { body: object }) {
      uploads.push(body)
      const { port } = server.address() as AddressInfo // safe because it listens on TCP
      const upload = { url: `http://127.0.0.1:${port}/put`, headers: {} }
      return { ok: true, status: 200, headers: {}, body: { attachment: { id: `att_${uploads.length}` }, upload } }
    },
  }
  const outgoing = () => new OutgoingFiles(service as never, volume) // safe because no other method is called
  beforeEach(() => {
    uploads.length = 0
    writeFileSync(join(volume, 'a.txt'), content)
  })

  it('are named by their path, relative to the volume or absolute, with a name and type if given', async () => {
    const named = [{ path: 'a.txt' }, { path: join(volume, 'a.txt'), name: 'b.bin', type: 'application/x-b' }]
    expect(await outgoing().send('prm_1', named)).toEqual(['att_1', 'att_2'])
    const bytes = { bytes: content.length, sha256 }
    expect(uploads).toEqual([
      { name: 'a.txt', type: 'text/plain', ...bytes },
      { name: 'b.bin', type: 'application/x-b', ...bytes },
    ])
  })

  it('are stored once for a repeated report, and again when they changed', async () => {
    const files = outgoing()
    const twice = [await files.send('prm_1', [{ path: 'a.txt' }]), await files.send('prm_1', [{ path: 'a.txt' }])]
    expect(twice).toEqual([['att_1'], ['att_1']])
    // Each message has at most one copy of a file.
    expect(await files.send('prm_2', [{ path: 'a.txt' }])).toEqual(['att_2'])
    writeFileSync(join(volume, 'a.txt'), 'changed')
    expect(await files.send('prm_1', [{ path: 'a.txt' }])).toEqual(['att_3'])
  })

  it.each([
    [['a.txt'], /\{"path": …\}/],
    [[{ path: '../a' }], /does not lead/],
    [[{ path: '/etc/passwd' }], /does not lead/],
    [[{ path: '' }], /Name a file/],
    [[{ path: '.' }], /does not lead/],
    [Array.from({ length: 11 }, () => ({ path: 'a.txt' })), /10 files/],
  ])('cannot be %j', async (named, reason) => {
    await expect(outgoing().send('prm_1', named)).rejects.toThrow(reason)
    expect(uploads).toEqual([])
  })

  it('have at most the size of an attachment', async () => {
    const { truncateSync } = await import('node:fs')
    truncateSync(join(volume, 'a.txt'), 20_000_001)
    await expect(outgoing().send('prm_1', [{ path: 'a.txt' }])).rejects.toThrow('larger than 20 MB')
  })
})

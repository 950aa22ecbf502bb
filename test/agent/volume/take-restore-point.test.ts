import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { stampOf } from '../../../agent/volume/known-files.ts'
import { Pace } from '../../../agent/volume/store.ts'
import { browsePoint, openInPoint } from '../../../app/files/browse.ts'
import type { Storage } from '../../../app/ports/files.ts'
import type { StoredPoint } from '../../../domain/files/restore-point.ts'
import { Points } from './points.ts'

let points: Points
beforeEach(async () => {
  points = await new Points().open()
})
afterEach(() => points.close())

/** Always the same bytes for a name, because the content decides where pieces end. */
const bytesOf = (name: string, length: number) => createHash('shake256', { outputLength: length }).update(name).digest()

const at = (path: string) => join(points.volume, path)

/** Twenty settled files in four folders, and a point of them. */
async function firstPoint() {
  for (let i = 0; i < 20; i++) points.write(`folder-${i % 4}/file-${i}`, bytesOf(`file ${i}`, 500 + i * 300))
  points.write('empty', '')
  await points.settle()
  return points.take()
}

/** Expects the next point to read all files. */
async function expectFullRead() {
  const { read } = await points.take()
  expect(Object.keys(read)).toHaveLength(20)
  expect(await points.restored()).toEqual(points.present())
}

describe('a restore point after an earlier one', () => {
  it('reads no byte and sends no piece when nothing has changed', async () => {
    const first = await firstPoint()
    expect(Object.keys(first.read)).toHaveLength(20)
    const before = points.lists()
    for (let again = 0; again < 3; again++) {
      const { read, sent, ...taken } = await points.take()
      expect([read, sent, taken.newBytes]).toEqual([{}, [], 0])
      expect(taken).toMatchObject({ summary: first.summary, chunks: first.chunks })
    }
    expect(points.lists()).toEqual(before)
    expect(await points.restored()).toEqual(points.present())
  })

  it('reads only changed files', async () => {
    await firstPoint()
    const times = lstatSync(at('folder-3/file-3'))
    appendFileSync(at('folder-1/file-1'), 'more')
    writeFileSync(at('folder-2/file-2'), bytesOf('other', 1_100))
    // Another file of that name with the same size and time of change.
    writeFileSync(at('next'), bytesOf('another', 1_400))
    utimesSync(at('next'), times.atime, times.mtime)
    renameSync(at('next'), at('folder-3/file-3'))
    chmodSync(at('folder-0/file-4'), 0o600)
    renameSync(at('folder-1/file-5'), at('folder-2/renamed'))
    rmSync(at('folder-1/file-9'))
    points.write('new/file', 'new')
    const { read, summary } = await points.take()
    expect(read).toEqual({
      'folder-1/file-1': 804,
      'folder-2/file-2': 1_100,
      'folder-3/file-3': 1_400,
      'folder-0/file-4': 1_700,
      'folder-2/renamed': 2_000,
      'new/file': 3,
    })
    const present = points.present()
    expect(summary.files).toBe(Object.keys(present).length)
    expect(summary.bytes).toBe(Object.values(present).reduce((sum, text) => sum + text.length - 4, 0))
    expect(await points.restored()).toEqual(present)
  })

  it('rereads a file that was changed shortly before the last point', async () => {
    await firstPoint()
    appendFileSync(at('folder-1/file-1'), 'more')
    await points.take({ settleMs: 60_000 })
    expect((await points.take({ settleMs: 60_000 })).read).toEqual({ 'folder-1/file-1': 804 })
    await points.settle()
    expect((await points.take()).read).toEqual({ 'folder-1/file-1': 804 })
    expect((await points.take()).read).toEqual({})
  })

  it('rereads a file that changes while it is read', async () => {
    await firstPoint()
    points.write('large', bytesOf('large', 600_000))
    await points.settle()
    const spoil = bytesOf('spoilt', 600_000)
    points.server.onStore = () => {
      points.server.onStore = () => true
      writeFileSync(at('large'), spoil)
      return true
    }
    const cut = { min: 1_024, max: 8_192, bits: 10 }
    await points.take({ cut })
    expect((await points.take({ cut })).read).toEqual({ large: 600_000 })
    expect(await points.restored()).toEqual(points.present())
  })

  it('reads all files once a week, and finds changes that left no sign', async () => {
    await firstPoint()
    const file = at('folder-1/file-13')
    const old = points.present()
    // Simulates a file system that keeps all four values: the remembered stamp is adjusted to match.
    const before = stampOf('folder-1/file-13', lstatSync(file, { bigint: true }))
    writeFileSync(file, bytesOf('changed', lstatSync(file).size))
    const after = stampOf('folder-1/file-13', lstatSync(file, { bigint: true }))
    const remembered = gunzipSync(readFileSync(points.known)).toString()
    expect(remembered).toContain(before)
    writeFileSync(points.known, gzipSync(remembered.replace(before, after)))
    expect((await points.take()).read).toEqual({})
    expect(await points.restored()).toEqual(old)
    points.server.seen.length = 0
    const { read, sent, chunks } = await points.take({ readAllAfterMs: 1 })
    const asked = points.server.seen.flatMap(({ body }) => (Array.isArray(body.put) ? body.put : []))
    expect(asked.length).toBeLessThan(chunks + 15)
    expect(Object.keys(read)).toHaveLength(20)
    expect(sent.length).toBeLessThan(10)
    expect(await points.restored()).toEqual(points.present())
    expect((await points.take()).read).toEqual({})
  })

  it('rereads the files whose pieces are no longer stored, and sends these pieces', async () => {
    await firstPoint()
    const { files, chunks } = points.lists()
    const [lost, from] = [chunks[3], chunks.slice(0, 3).reduce((sum, { size }) => sum + size, 0)]
    points.server.objects.delete(lost?.sha256 ?? '')
    const to = from + (lost?.size ?? 0)
    const inIt = files.filter(({ o, s }) => s > 0 && o < to && o + s > from)
    const { read, sent } = await points.take()
    expect(read).toEqual(Object.fromEntries(inIt.map(({ p, s }) => [p, s])))
    expect(sent.length).toBeGreaterThan(0)
    expect(await points.restored()).toEqual(points.present())
  })

  it('reads all files when many pieces are not stored, and asks for no more', async () => {
    await firstPoint()
    const large = bytesOf('large', 360_000)
    points.write('large', large)
    await points.settle()
    const { chunks } = await points.take()
    expect(chunks).toBeGreaterThan(400)
    for (const name of points.server.objects.keys()) if (name.length === 64) points.server.objects.delete(name)
    points.server.seen.length = 0
    const { read, sent } = await points.take()
    expect(Object.keys(read)).toHaveLength(21)
    expect(sent.length).toBeGreaterThan(400)
    const asked = points.server.seen.flatMap(({ body }) => (Array.isArray(body.put) ? body.put : []))
    expect(asked.length).toBeLessThan(sent.length + 6 * 64)
    expect(await points.restored()).toEqual(points.present())
  })

  it('drops the pieces that no file uses any more', async () => {
    const cut = { min: 1_024, max: 1_024, bits: 1 }
    for (const name of ['a', 'b', 'c', 'd']) points.write(name, bytesOf(name, 1_024))
    await points.settle()
    await points.take({ cut })
    const before = points.lists()
    for (const gone of [0, 2]) rmSync(at(before.files[gone]?.p ?? ''))
    expect((await points.take({ cut })).read).toEqual({})
    expect(points.lists().chunks).toEqual([before.chunks[1], before.chunks[3]])
    expect(await points.restored()).toEqual(points.present())
  })

  it('rereads all files when its pieces hold little that is still in use', async () => {
    const cut = { min: 65_536, max: 100_000, bits: 16 }
    points.write('large', bytesOf('large', 20_000))
    points.write('small', bytesOf('small', 100))
    await points.settle()
    await points.take({ cut })
    rmSync(at('large'))
    await points.take({ cut, spareBytes: 20_000 })
    expect((await points.take({ cut, spareBytes: 19_000 })).read).toEqual({})
    expect(points.lists().chunks).toEqual([expect.objectContaining({ size: 20_100 })])
    expect((await points.take({ cut })).read).toEqual({ small: 100 })
    expect(points.lists().chunks).toEqual([expect.objectContaining({ size: 100 })])
    expect(await points.restored()).toEqual(points.present())
  })
})

describe('the stamp of a file', () => {
  it('differs by its path, size, inode and times to the nanosecond', () => {
    points.write('file', 'text')
    const stat = lstatSync(at('file'), { bigint: true })
    const other = (change: object) => stampOf('file', Object.assign(lstatSync(at('file'), { bigint: true }), change))
    const stamps = [
      stampOf('file', stat),
      stampOf('elsewhere', stat),
      other({ size: stat.size + 1n }),
      other({ ino: stat.ino + 1n }),
      other({ mtimeNs: stat.mtimeNs + 1n }),
      other({ ctimeNs: stat.ctimeNs + 1n }),
    ]
    expect(new Set(stamps).size).toBe(6)
    expect(other({})).toBe(stamps[0])
  })
})

describe('the memory of a volume’s last point', () => {
  const other = () => readFileSync(points.known)

  it.each<[string, () => void]>([
    ['is lost', () => rmSync(points.known)],
    ['is cut off', () => writeFileSync(points.known, other().subarray(0, -20))],
    ['is empty', () => writeFileSync(points.known, '')],
    ['has no lines', () => writeFileSync(points.known, gzipSync(''))],
    ['has other content', () => writeFileSync(points.known, gzipSync('{"p":"folder-1/file-1"}\n{}\n'))],
    [
      'was damaged',
      () => {
        const bytes = other()
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
        writeFileSync(points.known, bytes)
      },
    ],
    [
      'is a copy',
      () => {
        copyFileSync(points.known, at('.berth/copy'))
        renameSync(at('.berth/copy'), points.known)
      },
    ],
    [
      'has another version',
      () => writeFileSync(points.known, gzipSync(gunzipSync(other()).toString().replace('"version":1', '"version":2'))),
    ],
    [
      'has a line past the end of the pieces',
      () => {
        const lines = gunzipSync(other()).toString().split('\n')
        const last = { p: 'x', s: 9_000_000, m: 1, x: 1, o: 9_000_000, stamp: 'x' }
        writeFileSync(
          points.known,
          gzipSync([...lines.slice(0, -2), JSON.stringify(last), lines.at(-2), ''].join('\n')),
        )
      },
    ],
    [
      'is a link',
      () => {
        renameSync(points.known, at('.berth/elsewhere'))
        symlinkSync('elsewhere', points.known)
      },
    ],
    [
      'is a folder',
      () => {
        rmSync(points.known)
        mkdirSync(points.known)
      },
    ],
  ])('is of no use when it %s: all is read', async (_, spoil) => {
    await firstPoint()
    spoil()
    await expectFullRead()
  })

  it('is useless on another volume', async () => {
    await firstPoint()
    const other = points.newFolder('other')
    for (const name of readdirSync(points.volume)) renameSync(at(name), join(other, name))
    rmSync(points.volume, { recursive: true })
    renameSync(other, points.volume)
    await expectFullRead()
  })

  it('is outdated when a machine died before it was written, and then more is read', async () => {
    await firstPoint()
    renameSync(points.known, join(points.around, 'kept'))
    appendFileSync(at('folder-1/file-1'), 'more')
    await points.settle()
    await points.take()
    appendFileSync(at('folder-2/file-2'), 'more')
    renameSync(join(points.around, 'kept'), points.known)
    expect(Object.keys((await points.take()).read).sort()).toEqual(['folder-1/file-1', 'folder-2/file-2'])
    expect(await points.restored()).toEqual(points.present())
  })

  it.each(['link', 'file'])('is written next to a %s in place of its folder, never through it', async (kind) => {
    const outside = points.newFolder('outside')
    if (kind === 'link') symlinkSync(outside, at('.berth'))
    else writeFileSync(at('.berth'), 'a file')
    await firstPoint()
    expect(readdirSync(outside)).toEqual([])
    expect((await points.take()).read).toEqual({})
  })

  it.each(['file', 'folder'])('is written even if a dead machine left a %s of it', async (kind) => {
    mkdirSync(at('.berth'))
    if (kind === 'file') writeFileSync(at('.berth/known-files.next'), 'half')
    else mkdirSync(at('.berth/known-files.next'))
    await firstPoint()
    expect((await points.take()).read).toEqual({})
  })

  it('does not fail the point when it cannot be written', async () => {
    mkdirSync(at('.berth/known-files.gz/in the way'), { recursive: true })
    await firstPoint()
    await expectFullRead()
  })

  it('is not part of a point', async () => {
    await firstPoint()
    await points.take()
    expect(points.lists().files.filter(({ p }) => p.startsWith('.berth'))).toEqual([])
    expect(readdirSync(at('.berth'))).toEqual(['known-files.gz'])
  })
})

describe('a point with some files unread', () => {
  it('is listed and read by the service like any other', async () => {
    await firstPoint()
    appendFileSync(at('folder-1/file-1'), 'more')
    rmSync(at('folder-2/file-6'))
    await points.take()
    const text = points.object('files')
    const nameOf = (key: string) => (key.endsWith('chunks.json') ? 'chunks' : (key.split('/').at(-1) ?? ''))
    const storage = {
      async *lines() {
        yield* gunzipSync(text).toString().split('\n').filter(Boolean)
      },
      size: async (key: string) => points.object(nameOf(key)).length,
      read: async (key: string, from: number, to: number) => points.object(nameOf(key)).subarray(from, to),
    } as unknown as Storage // safe because reading uses no other part of it
    const point = { instanceId: 'ins_1', id: 'rsp_1' } as StoredPoint // safe because points are found by these fields
    const { entries } = await browsePoint({ storage }, point, 'folder-1', null, 100)
    expect(entries.map(({ name, size }) => `${name} ${size}`)).toEqual([
      'file-1 804',
      'file-13 4400',
      'file-17 5600',
      'file-5 2000',
      'file-9 3200',
    ])
    for (const [path, content] of Object.entries(points.present())) {
      const { bytes } = await openInPoint({ storage }, point, path)
      const parts: Uint8Array[] = []
      for await (const part of bytes) parts.push(part)
      expect(Buffer.concat(parts).toString('latin1')).toBe(content.slice(4))
    }
  })
})

describe('a request to the service', () => {
  it('waits as long as the service demands', async () => {
    points.server.busyTimes = 8
    await firstPoint()
    expect(await points.restored()).toEqual(points.present())
  })

  it('is given up when the service never accepts it', async () => {
    points.server.busyTimes = 1_000
    await expect(firstPoint()).rejects.toThrow('HTTP 429')
  })

  it('is spread over time: some requests at once, then as many as were answered', () => {
    const pace = new Pace({ burst: 3, perSecond: 2 }, 1_000)
    expect([1, 2, 3, 4, 5].map(() => pace.waitMs(1_000))).toEqual([0, 0, 0, 500, 1_000])
    expect(pace.waitMs(2_000)).toBe(500)
    expect([1, 2, 3, 4].map(() => pace.waitMs(60_000))).toEqual([0, 0, 0, 500])
  })
})

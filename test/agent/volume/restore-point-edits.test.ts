import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { Store } from '../../../agent/volume/store.ts'
import { most, seeded } from '../../counts.ts'
import { Points } from './points.ts'

const folders = ['', 'a', 'a/b', 'c']
const paths = folders.flatMap((folder) => ['x', 'y', 'z'].map((name) => join(folder, name)))
const path = fc.constantFrom(...paths)
const content = fc.record({ byte: fc.nat(255), length: fc.integer({ min: 0, max: 9_000 }) })
type Content = typeof content extends fc.Arbitrary<infer T> ? T : never

/** Bytes that differ from one another, so that pieces end in different places. */
const bytesOf = ({ byte, length }: Content) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 31 + ((i * i) >> 7) + byte) & 0xff))

/** Events that can happen to the volume, to the memory of the last point, and to the service between two points. */
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), path, content }) },
  fc.record({ kind: fc.constant('truncate' as const), path, part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constant('move folder' as const) }),
  fc.record({ kind: fc.constant('replace alike' as const), path, byte: fc.nat(255) }),
  fc.record({ kind: fc.constant('change inside' as const), path, byte: fc.nat(255) }),
  fc.record({ kind: fc.constant('touch' as const), path, seconds: fc.nat(2_000_000_000) }),
  fc.record({ kind: fc.constant('chmod' as const), path, mode: fc.constantFrom(0o600, 0o640, 0o755) }),
  fc.record({ kind: fc.constant('delete' as const), path }),
  fc.record({ kind: fc.constant('lose piece' as const), at: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
  fc.record({ kind: fc.constant('forget' as const) }),
  fc.record({ kind: fc.constant('damage' as const), at: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

/** Edits, and then a point; sometimes an unfinished point before it. */
const step = fc.record({
  edits: fc.array(edit, { maxLength: 5 }),
  settled: fc.boolean(),
  ended: fc.constantFrom(null, null, 'before files', 'before chunks', 'after chunks'),
  readAllAfterMs: fc.constantFrom(1e12, 1e12, 1e12, 1),
})

describe('a series of restore points', () => {
  it('restores the volume at each point, and reads no unchanged file', async () => {
    let unread = 0
    const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      const points = await new Points().open()
      try {
        for (const folder of folders) mkdirSync(join(points.volume, folder), { recursive: true })
        /** Files in the newest point that the next point need not read. */
        let settled = new Set<string>()
        for (const { edits, settled: settles, ended, readAllAfterMs } of steps) {
          for (const edit of edits) for (const touched of happen(points, edit)) settled.delete(touched)
          const mayKnow = !edits.some(({ kind }) => kind === 'forget' || kind === 'damage' || kind === 'lose piece')
          if (settles) await points.settle()
          if (ended) await expect(points.take({ readAllAfterMs }, endingAt(ended))).rejects.toThrow('it ended')
          const { read, summary } = await points.take({ readAllAfterMs })
          const present = points.present()
          expect(await points.restored()).toEqual(present)
          expect(summary.files).toBe(Object.keys(present).length)
          expectForwards(points)
          if (mayKnow && readAllAfterMs > 1) {
            expect(Object.keys(read).filter((name) => settled.has(name))).toEqual([])
            unread += settled.size
          }
          if (settles) settled = new Set(Object.keys(present))
        }
      } finally {
        await points.close()
      }
    })
    await fc.assert(property, seeded(most(500, 120), 10))
    expect(unread).toBeGreaterThan(10)
  })
})

/** The store of a machine that dies at this step. */
const endingAt = (where: string) => (store: Store) => ({
  lost: store.lost.bind(store),
  putChunks: store.putChunks.bind(store),
  put: async (name: 'files' | 'chunks' | 'handover', content: Buffer | { file: string }) => {
    if (where === `before ${name}`) throw new Error('it ended')
    await store.put(name, content)
    if (where === `after ${name}`) throw new Error('it ended')
  },
})

/** A reader that reads a point from its beginning, as every machine does, finds all of it. */
function expectForwards(points: Points): void {
  const { files, chunks } = points.lists()
  let end = 0
  for (const { o, s } of files.filter(({ s }) => s > 0)) {
    expect(o).toBeGreaterThanOrEqual(end)
    end = o + s
  }
  expect(end).toBeLessThanOrEqual(chunks.reduce((sum, { size }) => sum + size, 0))
}

/** Applies an edit as far as it has a target; returns the paths that changed. */
function happen(points: Points, edit: Edit): string[] {
  const at = (name: string) => join(points.volume, name)
  if (edit.kind === 'lose piece') {
    const pieces = [...points.server.objects.keys()].filter((name) => name.length === 64)
    points.server.objects.delete(pieces[Math.floor(edit.at * pieces.length)] ?? '')
    return []
  }
  if (edit.kind === 'forget' || edit.kind === 'damage') {
    if (!existsSync(points.known)) return []
    const bytes = readFileSync(points.known)
    const index = edit.kind === 'damage' ? Math.floor(edit.at * bytes.length) : 0
    bytes.writeUInt8(bytes.readUInt8(index) ^ 0x10, index)
    if (edit.kind === 'forget') rmSync(points.known)
    else writeFileSync(points.known, bytes)
    return []
  }
  if (edit.kind === 'move folder') {
    renameSync(at('a'), at('moving'))
    renameSync(at('c'), at('a'))
    renameSync(at('moving'), at('c'))
    mkdirSync(at('a/b'), { recursive: true })
    return paths.concat(Object.keys(points.present()))
  }
  const file = at(edit.path)
  if (edit.kind === 'write') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytesOf(edit.content))
    return [edit.path]
  }
  if (!existsSync(file)) return []
  const { size, mode, atime, mtime } = lstatSync(file)
  switch (edit.kind) {
    case 'append':
      appendFileSync(file, bytesOf(edit.content))
      break
    case 'truncate':
      truncateSync(file, Math.floor(size * edit.part))
      break
    case 'rename':
      mkdirSync(dirname(at(edit.to)), { recursive: true })
      renameSync(file, at(edit.to))
      break
    case 'replace alike':
      writeFileSync(at('next'), bytesOf({ byte: edit.byte, length: size }), { mode })
      utimesSync(at('next'), atime, mtime)
      renameSync(at('next'), file)
      break
    case 'change inside': {
      const opened = openSync(file, 'r+')
      if (size > 0) writeSync(opened, Buffer.from([edit.byte]), 0, 1, size >> 1)
      closeSync(opened)
      utimesSync(file, atime, mtime)
      break
    }
    case 'touch':
      utimesSync(file, edit.seconds, edit.seconds)
      break
    case 'chmod':
      chmodSync(file, edit.mode)
      break
    case 'delete':
      rmSync(file)
      break
  }
  return edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path]
}

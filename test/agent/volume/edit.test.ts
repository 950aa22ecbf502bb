import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { makeFolder, move, remove, writeFile } from '../../../agent/volume/edit.ts'
import { sha256Of } from '../../../agent/volume/store.ts'
import { most, seeded } from '../../counts.ts'
import { outcomeOf, still, TestVolume, type Tree } from './tree.ts'

const bytes = (text: string) => [Buffer.from(text)]
const hash = (text: string) => sha256Of(Buffer.from(text))

let volume: TestVolume
beforeEach(() => {
  volume = new TestVolume({ 'workspace/tides.md': 'high', 'workspace/notes/moon.md': 'full', 'config/ours': 'ours' })
})
afterEach(() => volume.close())

const write = (path: string, text: string, replaces: string) =>
  outcomeOf(writeFile(volume.path, path, bytes(text), replaces, still))

describe('writing a file', () => {
  it('replaces the version that was read, and no newer one', async () => {
    expect(await write('workspace/tides.md', 'low', hash('high'))).toBe('done')
    expect(await write('workspace/tides.md', 'mine', hash('high'))).toBe('conflict')
    expect(volume.tree()['workspace/tides.md']).toBe('low')
    expect(await write('workspace/gone.md', 'mine', hash('high'))).toBe('conflict')
    expect(await write('workspace/tides.md', 'new', 'nothing')).toBe('conflict')
    expect(await write('workspace/new.md', 'new', 'nothing')).toBe('done')
    expect(await write('workspace/tides.md', 'over', 'anything')).toBe('done')
    expect(await write('workspace/other.md', 'over', 'anything')).toBe('done')
    expect(volume.leftovers()).toEqual([])
  })

  it('detects a change between the check and the swap', async () => {
    const change = async <T>(run: () => Promise<T>) => {
      writeFileSync(volume.at('workspace/tides.md'), 'newer')
      return run()
    }
    const written = writeFile(volume.path, 'workspace/tides.md', bytes('mine'), hash('high'), change)
    expect(await outcomeOf(written)).toBe('conflict')
    expect(volume.tree()['workspace/tides.md']).toBe('newer')
  })

  it('keeps the mode of the replaced file', async () => {
    chmodSync(volume.at('workspace/tides.md'), 0o755)
    await write('workspace/tides.md', 'low', 'anything')
    expect(statSync(volume.at('workspace/tides.md')).mode & 0o777).toBe(0o755)
    await write('workspace/new.md', 'x', 'nothing')
    expect(statSync(volume.at('workspace/new.md')).mode & 0o777).toBe(0o600)
  })

  it('accepts names in any script of up to 255 bytes, and no longer ones', async () => {
    const names = [
      '潮汐.md',
      'מדוזה.txt',
      'ملف.txt',
      '🌊'.repeat(63),
      'é',
      'e\u0301',
      '-rf',
      ' ',
      'a\nb',
      'x'.repeat(255),
    ]
    for (const name of names) expect([name, await write(`workspace/${name}`, name, 'nothing')]).toEqual([name, 'done'])
    const tree = volume.tree()
    for (const name of names) expect(tree[`workspace/${name}`]).toBe(name)
    expect(await write(`workspace/${'x'.repeat(256)}`, 'x', 'nothing')).toBe('validation')
    expect(await write(`workspace/${'🌊'.repeat(64)}`, 'x', 'nothing')).toBe('validation')
  })
})

describe('a forbidden path', () => {
  const paths = [
    '',
    '..',
    '../outside/x',
    'workspace/../../outside/x',
    './x',
    'workspace//x',
    'a\0b',
    'config/ours',
    '.berth/x',
    'config',
    '.berth',
  ]

  it.each(paths)('such as %j is refused by every edit', async (path) => {
    const before = volume.tree()
    expect(await write(path, 'x', 'anything')).toBe('validation')
    expect(await outcomeOf(makeFolder(volume.path, path))).toBe('validation')
    expect(await outcomeOf(remove(volume.path, path))).toBe('validation')
    expect(await outcomeOf(move(volume.path, path, 'workspace/moved', true, still))).toBe('validation')
    expect(await outcomeOf(move(volume.path, 'workspace/tides.md', path, true, still))).toBe('validation')
    expect(volume.tree()).toEqual(before)
  })

  it('leads through a link, which itself can be deleted', async () => {
    symlinkSync(volume.outside, volume.at('workspace/out'))
    symlinkSync(join(volume.outside, 'secret'), volume.at('workspace/link'))
    expect(await write('workspace/out/x', 'x', 'anything')).toBe('validation')
    expect(await write('workspace/link', 'x', 'anything')).toBe('validation')
    expect(await write('workspace/link', 'x', 'nothing')).toBe('conflict')
    expect(await outcomeOf(makeFolder(volume.path, 'workspace/out/x'))).toBe('validation')
    expect(await outcomeOf(remove(volume.path, 'workspace/out/secret'))).toBe('validation')
    expect(await outcomeOf(move(volume.path, 'workspace/tides.md', 'workspace/out/x', true, still))).toBe('validation')
    expect(await outcomeOf(move(volume.path, 'workspace/tides.md', 'workspace/link', true, still))).toBe('conflict')
    expect(await outcomeOf(remove(volume.path, 'workspace/out'))).toBe('done')
    expect(await outcomeOf(remove(volume.path, 'workspace/link'))).toBe('done')
    expect(volume.tree(volume.outside)).toEqual({ secret: 'not yours' })
  })

  it('is that of a folder which the agent needs', async () => {
    expect(await outcomeOf(remove(volume.path, 'workspace'))).toBe('validation')
    expect(await outcomeOf(move(volume.path, 'workspace', 'elsewhere', false, still))).toBe('validation')
  })
})

describe('moving', () => {
  const moved = (from: string, to: string, replace = false) => outcomeOf(move(volume.path, from, to, replace, still))

  it('to its own name leaves a file in place', async () => {
    const before = volume.tree()
    expect(await moved('workspace/tides.md', 'workspace/tides.md')).toBe('conflict')
    expect(await moved('workspace/tides.md', 'workspace/tides.md', true)).toBe('done')
    expect(volume.tree()).toEqual(before)
  })

  it('never overwrites unless that was requested, and then only a file', async () => {
    expect(await moved('workspace/tides.md', 'workspace/notes/moon.md')).toBe('conflict')
    expect(await moved('workspace/tides.md', 'workspace/notes', true)).toBe('conflict')
    expect(await moved('workspace/notes', 'workspace/tides.md', true)).toBe('conflict')
    expect(await moved('workspace/notes', 'workspace/notes/deeper')).toBe('validation')
    expect(await moved('workspace/none', 'workspace/x')).toBe('not-found')
    expect(await moved('workspace/tides.md', 'workspace/none/x')).toBe('not-found')
    expect(await moved('workspace/tides.md', 'workspace/notes/moon.md', true)).toBe('done')
    expect(volume.tree()['workspace/notes/moon.md']).toBe('high')
    expect(await moved('workspace/notes', 'workspace/renamed')).toBe('done')
    expect(Object.keys(volume.tree()).sort()).toEqual([
      'config',
      'config/ours',
      'workspace',
      'workspace/renamed',
      'workspace/renamed/moon.md',
    ])
  })

  it('moves a link and not its target', async () => {
    symlinkSync(join(volume.outside, 'secret'), volume.at('workspace/link'))
    expect(await moved('workspace/link', 'workspace/notes/link')).toBe('done')
    expect(lstatSync(volume.at('workspace/notes/link')).isSymbolicLink()).toBe(true)
  })
})

describe('deleting', () => {
  it('removes a folder whatever its modes and depth', async () => {
    const deep = join('workspace/deep', ...Array.from({ length: 120 }, () => 'd'))
    volume.put(`${deep}/file`, 'x')
    volume.put('workspace/deep/locked/file', 'x')
    chmodSync(volume.at('workspace/deep/locked'), 0)
    chmodSync(volume.at('workspace/deep'), 0o500)
    expect(await outcomeOf(remove(volume.path, 'workspace/deep'))).toBe('done')
    expect([existsSync(volume.at('workspace/deep')), volume.leftovers()]).toEqual([false, []])
  })
})

const names = ['a', 'b', 'c']
const paths = [...names, ...names.flatMap((folder) => names.map((name) => `${folder}/${name}`))].map(
  (path) => `workspace/${path}`,
)
const path = fc.constantFrom(...paths)
const text = fc.string({ maxLength: 20 })
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path,
      text,
      replaces: fc.constantFrom('nothing', 'anything', 'read', 'stale'),
    }),
  },
  fc.record({ kind: fc.constant('folder' as const), path }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path, replace: fc.boolean() }) },
  fc.record({ kind: fc.constant('remove' as const), path }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** The reason for which no file can exist at a path: its folder is missing, or is a file. */
function problemAbove(tree: Tree, path: string): string | undefined {
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const above = path.slice(0, at)
    if (!(above in tree)) return 'not-found'
    if (tree[above] !== null) return 'validation'
  }
  return undefined
}

const modelled: { [K in Step['kind']]: (tree: Tree, step: Extract<Step, { kind: K }>) => string } = {
  write(tree, { path, text, replaces }) {
    const above = problemAbove(tree, path)
    const now = tree[path]
    if (above) return above
    if (replaces === 'nothing' && now !== undefined) return 'conflict'
    if (replaces !== 'nothing' && now === null) return 'validation'
    if ((replaces === 'read' || replaces === 'stale') && now === undefined) return 'conflict'
    if (replaces === 'stale') return 'conflict'
    tree[path] = text
    return 'done'
  },
  folder(tree, { path }) {
    const above = problemAbove(tree, path)
    if (above) return above
    if (path in tree) return 'conflict'
    tree[path] = null
    return 'done'
  },
  move(tree, { path, to, replace }) {
    const above = problemAbove(tree, path) ?? problemAbove(tree, to)
    if (above) return above
    if (!(path in tree)) return 'not-found'
    const [from, there] = [tree[path], tree[to]]
    if (there !== undefined && !(replace && from !== null && there !== null)) return 'conflict'
    if (from === null && `${parentOf(to)}/`.startsWith(`${path}/`)) return 'validation'
    const inside = Object.keys(tree).filter((key) => key === path || key.startsWith(`${path}/`))
    const entries = inside.map((key) => [to + key.slice(path.length), tree[key] ?? null] as const)
    for (const key of inside) delete tree[key]
    for (const [key, value] of entries) tree[key] = value
    return 'done'
  },
  remove(tree, { path }) {
    const above = problemAbove(tree, path)
    if (above) return above
    if (!(path in tree)) return 'not-found'
    for (const key of Object.keys(tree)) if (key === path || key.startsWith(`${path}/`)) delete tree[key]
    return 'done'
  },
}

const performed: {
  [K in Step['kind']]: (at: TestVolume, step: Extract<Step, { kind: K }>, tree: Tree) => Promise<unknown>
} = {
  write: (at, { path, text, replaces }, tree) => {
    const read = hash(tree[path] ?? '')
    const wanted = replaces === 'read' ? read : replaces === 'stale' ? hash(`${tree[path]}, long ago`) : replaces
    return writeFile(at.path, path, bytes(text), wanted, still)
  },
  folder: (at, { path }) => makeFolder(at.path, path),
  move: (at, { path, to, replace }) => move(at.path, path, to, replace, still),
  remove: (at, { path }) => remove(at.path, path),
}

it('any edits in any order have the results that a model predicts, and each is refused when the model refuses it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const at = new TestVolume()
      try {
        const tree = at.tree()
        for (const each of steps) {
          // safe because each kind gets its own step
          const done = outcomeOf(performed[each.kind](at, each as never, tree))
          expect([each, await done]).toEqual([each, modelled[each.kind](tree, each as never)])
          expect(at.tree()).toEqual(tree)
        }
        expect(at.leftovers()).toEqual([])
      } finally {
        at.close()
      }
    }),
    seeded(most(5_000, 1_500), 60),
  )
}, 600_000)

it('a volume that is emptied during an edit does not crash the worker', async () => {
  mkdirSync(volume.at('workspace/x'))
  expect(await outcomeOf(makeFolder(volume.path, 'workspace/gone/x'))).toBe('not-found')
})

import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outcomeOf, remove, writeFile } from '../../../agent/volume/edit.ts'
import { topFolders } from '../../../agent/volume/files.ts'
import { prepareVolume, settleVolume } from '../../../agent/volume/prepare.ts'
import { sha256Of } from '../../../agent/volume/store.ts'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import { undoTurn } from '../../../agent/volume/undo-turn.ts'
import type { VolumeJob } from '../../../domain/agent/task.ts'
import { compiled, full, most } from '../../counts.ts'
import { ProtocolServer } from '../protocol-server.ts'
import { Points } from './points.ts'
import { still, TestVolume, type Tree } from './tree.ts'

const before: Tree = {
  workspace: null,
  'workspace/tides.md': 'high',
  'workspace/notes': null,
  'workspace/notes/moon.md': 'full',
  'workspace/notes/deep': null,
  'workspace/notes/deep/sun.md': 'bright',
}
const { 'workspace/tides.md': tides, ...rest } = before
const inNotes = Object.keys(before).filter((path) => path.startsWith('workspace/notes'))
const without = (paths: string[]) =>
  Object.fromEntries(Object.entries(before).filter(([path]) => !paths.includes(path)))

/** Each edit, with the trees that may exist after an interruption: before, after, and intermediate ones. */
const edits: { edit: string[]; after: Tree; between?: Tree[] }[] = [
  { edit: ['write', 'workspace/new.md', 'text', 'nothing'], after: { ...before, 'workspace/new.md': 'text' } },
  {
    edit: ['write', 'workspace/tides.md', 'low', sha256Of(Buffer.from('high'))],
    after: { ...before, 'workspace/tides.md': 'low' },
  },
  { edit: ['folder', 'workspace/new'], after: { ...before, 'workspace/new': null } },
  {
    edit: ['move', 'workspace/tides.md', 'workspace/moved.md', 'keep'],
    after: { ...rest, 'workspace/moved.md': tides ?? null },
    // Both names exist, so that the file is never lost.
    between: [{ ...before, 'workspace/moved.md': tides ?? null }],
  },
  {
    edit: ['move', 'workspace/tides.md', 'workspace/notes/moon.md', 'replace'],
    after: { ...rest, 'workspace/notes/moon.md': tides ?? null },
  },
  { edit: ['remove', 'workspace/notes'], after: without(inNotes) },
]

/** True when the edit completed. */
const run = (volume: TestVolume, at: number, edit: string[]): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, 'killed-edit.mjs')
    const env = { ...process.env, ...compiled, NODE_OPTIONS: '' }
    execFile(process.execPath, [program, volume.path, String(at), ...edit], { env }, (error, stdout, stderr) => {
      if (error && error.signal !== 'SIGKILL') reject(new Error(stderr))
      else resolve(stdout.includes('done'))
    })
  })

/** Kills at each step each night, at every third in the full tier, otherwise at every fifth; edits begin differently. */
const by = full ? most(1, 3) : 5
const steps = (first: number) => ({ from: first % by, by })

describe('an edit whose machine is killed at any step', () => {
  it.each(edits.map((each, index) => [each.edit.join(' '), each, index] as const))(
    '%s leaves every file whole',
    async (_, { edit, after, between = [] }, index) => {
      const { from, by } = steps(index)
      const seen = new Set<string>()
      for (let at = from, isOver = false; !isOver; at += by) {
        const volume = new TestVolume(before)
        try {
          isOver = await run(volume, at, edit)
          const tree = volume.tree()
          expect(isOver ? [after] : [before, after, ...between]).toContainEqual(tree)
          seen.add(JSON.stringify(tree))
          volume.put('workspace/other', 'x')
          await remove(volume.path, 'workspace/other')
          // The next edit cleans up after the killed one.
          expect(volume.leftovers()).toEqual([])
        } finally {
          volume.close()
        }
      }
      expect(seen.size).toBeGreaterThan(1)
    },
    300_000,
  )
})

it('the undo of a reply whose machine is killed at any step is completed by the next try', async () => {
  const { from, by } = steps(1)
  for (let at = from, isOver = false; !isOver; at += by) {
    const volume = new TestVolume(before)
    try {
      const journal = new TurnJournal(volume.path)
      await journal.begin('prm_1')
      await remove(volume.path, 'workspace/notes')
      volume.put('workspace/tides.md', 'low')
      volume.put('workspace/added.md', 'new')
      await journal.end('prm_1')
      isOver = await run(volume, at, ['undo', 'prm_1'])
      const tree = volume.tree()
      for (const [path, text] of Object.entries(tree))
        expect([before[path], { 'workspace/tides.md': 'low', 'workspace/added.md': 'new' }[path]]).toContain(text)
      await undoTurn(volume.path, new TurnJournal(volume.path), 'prm_1')
      expect(volume.tree()).toEqual(before)
    } finally {
      volume.close()
    }
  }
}, 300_000)

/** A task that is handed out again after its first machine was killed and its user has created the same name again. */
const repeated: { edit: string[]; job: VolumeJob; isDone: (tree: Tree) => boolean }[] = [
  {
    edit: ['remove', 'workspace/tides.md', 'tsk_1'],
    job: { kind: 'remove', path: 'workspace/tides.md' },
    isDone: (tree) => !('workspace/tides.md' in tree),
  },
  {
    edit: ['write', 'workspace/tides.md', 'low', 'anything', 'tsk_1'],
    job: { kind: 'write', path: 'workspace/tides.md', replaces: 'anything', content: '', upload: null },
    isDone: (tree) => tree['workspace/tides.md'] === 'low',
  },
  {
    edit: ['write', 'workspace/new.md', 'low', 'nothing', 'tsk_1'],
    job: { kind: 'write', path: 'workspace/new.md', replaces: 'nothing', content: '', upload: null },
    isDone: (tree) => tree['workspace/new.md'] === 'low',
  },
  {
    edit: ['move', 'workspace/tides.md', 'workspace/moved.md', 'replace', 'tsk_1'],
    job: { kind: 'move', from: 'workspace/tides.md', to: 'workspace/moved.md', replace: true },
    isDone: (tree) => !('workspace/tides.md' in tree),
  },
]

// https://github.com/sk-lim19f/Hypomnema/pull/231, https://github.com/utsaslab/SplitFS/issues/67
describe('a task whose machine is killed at any step is known to be done exactly when it was done', () => {
  it.each(repeated)(
    '$edit.0 $edit.1, even if its user changes the volume and other tasks run before it is handed out again',
    async ({ edit, job, isDone }) => {
      const { from, by } = steps(3)
      const seen = new Set<boolean>()
      for (let at = from, isOver = false; !isOver; at += by) {
        const volume = new TestVolume(before)
        try {
          isOver = await run(volume, at, edit)
          const done = isDone(volume.tree())
          seen.add(done)
          await settleVolume(volume.path)
          for (const name of ['workspace/tides.md', 'workspace/new.md']) {
            rmSync(volume.at(name), { force: true })
            volume.put(name, 'made by the user since')
          }
          await writeFile(volume.path, 'workspace/other', [Buffer.from('x')], 'nothing', still)
          expect((await outcomeOf(volume.path, 'tsk_1', job)) !== null).toBe(done)
        } finally {
          volume.close()
        }
      }
      expect([...seen].sort()).toEqual([false, true])
    },
    300_000,
  )
})

it('an attachment whose machine is killed at any step of its download is complete or absent, and the next machine has it without a trace of the first', async () => {
  await using stack = new AsyncDisposableStack()
  const server = await new ProtocolServer().start()
  stack.defer(() => server.stop())
  const text = 'tide '.repeat(60_000)
  const { messageId, attachments } = server.say('Read it.', 'main', [
    { name: 'tides.txt', type: 'text/plain', content: Buffer.from(text) },
  ])
  const receive = ['receive', JSON.stringify({ messageId, attachments })]
  const path = `inbox/${messageId}/tides.txt`
  const { from, by } = steps(4)
  const seen = new Set<string | undefined>()
  for (let at = from, isOver = false; !isOver; at += by) {
    const volume = new TestVolume()
    try {
      isOver = await run(volume, at, receive)
      const { [path]: there, ...rest } = volume.tree()
      expect([undefined, text]).toContain(there)
      expect(Object.values(rest).filter((each) => each !== null)).toEqual([])
      seen.add(there ?? undefined)
      await settleVolume(volume.path)
      expect(volume.leftovers('arrivals')).toEqual([])
      expect(await run(volume, 1e9, receive)).toBe(true)
      expect(volume.tree()[path]).toBe(text)
      expect(volume.leftovers('arrivals')).toEqual([])
    } finally {
      volume.close()
    }
  }
  expect(seen.size).toBe(2)
}, 300_000)

// https://github.com/qpdf/qpdf/issues/1773, https://github.com/blinklabs-io/dingo/pull/2923
describe('a restore of the whole volume whose machine is killed at any step', () => {
  const now: Tree = {
    workspace: null,
    'workspace/now.md': 'only here',
    'workspace/tides.md': 'low',
    mine: 'also only here',
  }
  const top = Object.fromEntries(topFolders.map((name) => [name, null]))

  it('leaves either all old files or all files of the point to the next machine, and is completed when it is repeated', async () => {
    await using stack = new AsyncDisposableStack()
    const points = await new Points().open()
    stack.defer(() => points.close())
    const stored = points.newFolder('stored')
    for (const [path, text] of Object.entries(before)) if (text !== null) points.write(path, text)
    await points.take()
    for (const [name, bytes] of points.server.objects) writeFileSync(join(stored, name), bytes)
    const { from, by } = steps(2)
    const seen = new Set<string>()
    for (let at = from, isOver = false; !isOver; at += by) {
      const volume = new TestVolume(now)
      try {
        const restore = ['restore', stored, points.newFolder('scratch')]
        isOver = await run(volume, at, restore)
        await prepareVolume(volume.path)
        const tree = volume.tree()
        expect([
          { ...top, ...now },
          { ...top, ...before },
        ]).toContainEqual(tree)
        seen.add(JSON.stringify(tree))
        expect(await run(volume, 1e9, restore)).toBe(true)
        await prepareVolume(volume.path)
        expect(volume.tree()).toEqual({ ...top, ...before })
      } finally {
        volume.close()
      }
    }
    expect(seen.size).toBe(2)
  }, 600_000)

  it('keeps the user’s files in `.berth/old`, where an older version put them, accessible to the user only', async () => {
    const volume = new TestVolume({ workspace: null })
    volume.put('.berth/old/workspace/now.md', 'only here')
    volume.put('.berth/next/workspace/half.md', 'ha')
    volume.put('workspace/new.md', 'made since')
    await prepareVolume(volume.path)
    const tree = volume.tree()
    expect(tree['workspace/now.md']).toBe('only here')
    expect(Object.values(tree)).toContain('made since')
    volume.close()
  })
})

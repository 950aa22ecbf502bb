import { appendFileSync, chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import { turnChanges, undoTurn } from '../../../agent/volume/undo-turn.ts'
import { most, seeded } from '../../counts.ts'
import { watchReads } from './content-reads.ts'
import { outcomeOf, TestVolume, type Tree } from './tree.ts'

const start: Tree = { 'workspace/tides.md': 'high', 'workspace/notes/moon.md': 'full', 'mine/me.md': 'likes tea' }
let volume: TestVolume
let journal: TurnJournal
beforeEach(() => {
  volume = new TestVolume(start)
  journal = new TurnJournal(volume.path)
})
afterEach(() => volume.close())

async function turn(promptId: string, work: () => void, by = journal): Promise<void> {
  await by.begin(promptId)
  work()
  await by.end(promptId)
}
const undo = (promptId: string) => undoTurn(volume.path, journal, promptId)
const changes = (promptId: string) => turnChanges(volume.path, journal, promptId)
const rewrite = (path: string, text: string) => writeFileSync(volume.at(path), text)

describe('the changes of a reply', () => {
  it('are shown, and can be undone', async () => {
    const before = volume.tree()
    await turn('prm_1', () => {
      rewrite('workspace/tides.md', 'low')
      chmodSync(volume.at('mine/me.md'), 0o640)
      rmSync(volume.at('workspace/notes/moon.md'))
      volume.put('workspace/notes/new.md', 'new')
    })
    const shown = await changes('prm_1')
    expect(shown.changes.map(({ path, change, state }) => [path, change, state])).toEqual([
      ['workspace/notes/moon.md', 'removed', 'kept'],
      ['workspace/notes/new.md', 'added', 'kept'],
      ['workspace/tides.md', 'changed', 'kept'],
    ])
    expect(shown.changes[2]).toMatchObject({ before: { size: 4 }, now: { size: 3 } })
    expect(await undo('prm_1')).toEqual({ files: 3 })
    expect(volume.tree()).toEqual(before)
    expect((await changes('prm_1')).changes.map(({ state }) => state)).toEqual(['undone', 'undone', 'undone'])
    expect(await undo('prm_1')).toEqual({ files: 0 })
  })

  it('are undone with modes and times, also when the folder is gone', async () => {
    chmodSync(volume.at('workspace/notes/moon.md'), 0o755)
    const { mtimeMs } = statSync(volume.at('workspace/notes/moon.md'))
    await turn('prm_1', () => rmSync(volume.at('workspace/notes'), { recursive: true }))
    await undo('prm_1')
    const stat = statSync(volume.at('workspace/notes/moon.md'))
    expect(stat.mode & 0o777).toBe(0o755)
    expect(Math.abs(stat.mtimeMs - mtimeMs)).toBeLessThan(2)
  })

  it('are not undone when a file was changed again since, and then nothing is touched', async () => {
    await turn('prm_1', () => {
      rewrite('workspace/tides.md', 'low')
      rewrite('workspace/notes/moon.md', 'half')
    })
    rewrite('workspace/tides.md', 'mine')
    const before = volume.tree()
    expect(await outcomeOf(undo('prm_1'))).toBe('conflict')
    expect(volume.tree()).toEqual(before)
    expect((await changes('prm_1')).changes.map(({ state }) => state)).toEqual(['kept', 'changed-since'])
  })

  it('are undone for an earlier reply when no later reply changed the same files', async () => {
    await turn('prm_1', () => rewrite('workspace/tides.md', 'low'))
    await turn('prm_2', () => rewrite('workspace/notes/moon.md', 'half'))
    await turn('prm_3', () => rewrite('mine/me.md', 'likes coffee'))
    expect(await undo('prm_1')).toEqual({ files: 1 })
    expect(await undo('prm_2')).toEqual({ files: 1 })
    await turn('prm_4', () => rewrite('mine/me.md', 'likes nothing'))
    expect(await outcomeOf(undo('prm_3'))).toBe('conflict')
    expect(volume.tree()).toMatchObject({ ...start, 'mine/me.md': 'likes nothing' })
  })

  it('are those between its beginning and its end: a person’s changes between two replies belong to neither', async () => {
    await turn('prm_1', () => {})
    rewrite('workspace/tides.md', 'mine')
    await turn('prm_2', () => rewrite('workspace/notes/moon.md', 'half'))
    expect((await changes('prm_2')).changes.map(({ path }) => path)).toEqual(['workspace/notes/moon.md'])
    await undo('prm_2')
    expect(volume.tree()['workspace/tides.md']).toBe('mine')
  })

  it('include a change that keeps size and time of change', async () => {
    await turn('prm_1', () => {})
    await turn('prm_2', () => rewrite('workspace/tides.md', 'HIGH'))
    expect((await changes('prm_2')).changes).toMatchObject([{ path: 'workspace/tides.md', state: 'kept' }])
  })

  it('are found by reading new files, and again files that changed just before the last look', async () => {
    const reads = await watchReads(volume.path)
    try {
      const settled = new TurnJournal(volume.path, { settleMs: -60_000 })
      await settled.begin('prm_1')
      expect(Object.keys(reads.take()).sort()).toEqual(Object.keys(start).sort())
      await settled.end('prm_1')
      expect(reads.take()).toEqual({})
      volume.put('workspace/new.md', 'new')
      // Its time of change may equal that of a later write, which no look could distinguish.
      await journal.begin('prm_2')
      expect(reads.take()).toEqual({ 'workspace/new.md': 3 })
      await journal.end('prm_2')
      expect(reads.take()).toEqual({ 'workspace/new.md': 3 })
    } finally {
      reads.stop()
    }
  })

  it('are combined with those of a concurrent reply', async () => {
    await journal.begin('prm_1')
    await journal.begin('prm_2')
    rewrite('workspace/tides.md', 'low')
    await journal.end('prm_1')
    expect(await outcomeOf(undo('prm_1'))).toBe('conflict')
    rewrite('workspace/notes/moon.md', 'half')
    await journal.end('prm_2')
    expect(await changes('prm_1')).toEqual(await changes('prm_2'))
    expect((await changes('prm_1')).promptIds).toEqual(['prm_1', 'prm_2'])
    expect(await undo('prm_2')).toEqual({ files: 2 })
  })

  it('survive the death of the machine during the reply, and are known on another machine', async () => {
    await journal.begin('prm_1')
    rewrite('workspace/tides.md', 'low')
    const second = new TurnJournal(volume.path)
    await turn('prm_1', () => rewrite('workspace/notes/moon.md', 'half'), second)
    expect(await undo('prm_1')).toEqual({ files: 2 })

    await second.begin('prm_2')
    rewrite('workspace/tides.md', 'lower')
    const third = new TurnJournal(volume.path)
    await turn('prm_3', () => rewrite('workspace/notes/moon.md', 'half'), third)
    expect((await changes('prm_2')).changes.map(({ path }) => path)).toEqual(['workspace/tides.md'])
    expect((await changes('prm_3')).changes.map(({ path }) => path)).toEqual(['workspace/notes/moon.md'])
  })
})

describe('the journal keeps no copy', () => {
  it('for a file that is too large: it is named, and left unchanged', async () => {
    const small = new TurnJournal(volume.path, { fileBytes: 10 })
    volume.put('workspace/large.md', 'x'.repeat(11))
    await turn(
      'prm_1',
      () => {
        appendFileSync(volume.at('workspace/large.md'), 'y')
        rewrite('workspace/tides.md', 'low')
        volume.put('workspace/large-new.md', 'y'.repeat(11))
      },
      small,
    )
    expect((await changes('prm_1')).changes.map(({ path, state }) => [path, state])).toEqual([
      ['workspace/large-new.md', 'kept'],
      ['workspace/large.md', 'not-kept'],
      ['workspace/tides.md', 'kept'],
    ])
    expect(await undo('prm_1')).toEqual({ files: 2 })
    expect(volume.tree()).toMatchObject({ ...start, 'workspace/large.md': `${'x'.repeat(11)}y` })
    expect(volume.tree()).not.toHaveProperty(['workspace/large-new.md'])
  })

  it('for any file of a volume with too many files', async () => {
    const few = new TurnJournal(volume.path, { files: 2 })
    await turn('prm_1', () => rewrite('workspace/tides.md', 'low'), few)
    expect((await changes('prm_1')).problem).toMatch(/too many files/)
    expect(await outcomeOf(undo('prm_1'))).toBe('conflict')
  })

  it('for programs’ own folders, and for replies before the last twenty', async () => {
    await turn('prm_0', () => {
      for (const path of ['state/x', 'home/x', 'memory/x', 'packages/x', 'config/x', 'inbox/x']) volume.put(path, 'x')
    })
    expect((await changes('prm_0')).changes).toEqual([])
    for (let i = 1; i <= 25; i++) await turn(`prm_${i}`, () => rewrite('workspace/tides.md', `low ${i}`))
    expect(await outcomeOf(changes('prm_0'))).toBe('not-found')
    expect(await outcomeOf(changes('prm_5'))).toBe('not-found')
    expect((await changes('prm_6')).changes).toHaveLength(1)
    // Contents of the last twenty, and of the present.
    expect(readdirSync(volume.at('.berth/undo')).length).toBe(20 + 3 + 1)
  })

  it('for an entry that a program of the agent spoilt in the journal itself', async () => {
    await turn('prm_1', () => rewrite('workspace/tides.md', 'low'))
    for (const name of readdirSync(volume.at('.berth/undo')))
      if (name !== 'journal.json') rewrite(`.berth/undo/${name}`, 'h1gh')
    expect((await changes('prm_1')).changes).toMatchObject([{ state: 'not-kept' }])
    expect(await undo('prm_1')).toEqual({ files: 0 })
    rewrite('.berth/undo/journal.json', '{"version":1,"files":')
    expect(await outcomeOf(undo('prm_1'))).toBe('not-found')
    await turn('prm_2', () => rewrite('workspace/tides.md', 'lower'))
    expect(await undo('prm_2')).toEqual({ files: 1 })
  })
})

const path = fc.constantFrom('workspace/a', 'workspace/b', 'workspace/d/a', 'mine/a')
const edit = fc.record({ path, text: fc.option(fc.constantFrom('', 'one', 'two', 'six')) })
const turns = fc.array(
  fc.record({ edits: fc.array(edit, { maxLength: 4 }), between: fc.array(edit, { maxLength: 1 }) }),
  { minLength: 1, maxLength: 6 },
)

it('undoing replies from the newest to the oldest restores the files before each, unless somebody else changed them', async () => {
  const apply = (at: TestVolume, edits: { path: string; text: string | null }[]) => {
    for (const { path, text } of edits) text === null ? rmSync(at.at(path), { force: true }) : at.put(path, text)
  }
  const files = (at: TestVolume) => Object.fromEntries(Object.entries(at.tree()).filter(([, text]) => text !== null))
  await fc.assert(
    fc.asyncProperty(turns, async (all) => {
      const at = new TestVolume()
      try {
        const own = new TurnJournal(at.path)
        const before: Tree[] = []
        for (const [i, { edits, between }] of all.entries()) {
          apply(at, between)
          before.push(files(at))
          await turn(`prm_${i}`, () => apply(at, edits), own)
        }
        for (let i = all.length - 1; i >= 0; i--) {
          const now = files(at)
          const outcome = await outcomeOf(undoTurn(at.path, own, `prm_${i}`))
          const since = all.slice(i + 1).some(({ between }) => between.length > 0)
          if (outcome !== 'done') expect([outcome, files(at), since]).toEqual(['conflict', now, true])
          if (outcome !== 'done') return
          if (!since) expect(files(at)).toEqual(before[i])
        }
      } finally {
        at.close()
      }
    }),
    seeded(most(400, 150), 20),
  )
}, 300_000)

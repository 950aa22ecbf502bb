import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import { turnChanges, undoTurn } from '../../../agent/volume/undo-turn.ts'
import { outcomeOf, TestVolume } from './tree.ts'

/** The journal of changes by replies lies where the agent's programs can write. */

const journalPath = '.berth/undo/journal.json'
let volume: TestVolume
beforeEach(async () => {
  volume = new TestVolume({ 'workspace/tides.md': 'high' })
  await turn('prm_1', 'low')
})
afterEach(() => volume.close())

const journalOf = () => new TurnJournal(volume.path)
async function turn(promptId: string, text: string) {
  const journal = journalOf()
  await journal.begin(promptId)
  volume.put('workspace/tides.md', text)
  await journal.end(promptId)
}
const undo = (promptId: string) => outcomeOf(undoTurn(volume.path, journalOf(), promptId))
const tides = () => readFileSync(volume.at('workspace/tides.md'), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: a journal that somebody spoils has any shape
type Any = any
const spoils: Record<string, (state: Any) => unknown> = {
  'another version': (state) => ({ ...state, version: 2 }),
  'a list': (state) => [state],
  nothing: () => null,
  'files that are a list': (state) => ({ ...state, files: [] }),
  'a file that is nothing': (state) => ({ ...state, files: { 'workspace/tides.md': null } }),
  'a file without a size': ({ files, ...state }) => ({ ...state, files: edited(files, { size: undefined }) }),
  'a file of less than nothing': ({ files, ...state }) => ({ ...state, files: edited(files, { size: -1 }) }),
  'a file larger than is kept': ({ files, ...state }) => ({ ...state, files: edited(files, { size: 2 ** 40 }) }),
  'a time after all times': ({ files, ...state }) => ({ ...state, files: edited(files, { m: 9e15 }) }),
  'a mode with more bits': ({ files, ...state }) => ({ ...state, files: edited(files, { x: 0o4755 }) }),
  'a content elsewhere': ({ files, ...state }) => ({ ...state, files: edited(files, { sha256: '../../../secret' }) }),
  'more files than are kept track of': (state) => ({
    ...state,
    files: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`workspace/${i}`, fileOf(state)])),
  }),
  'more bytes than are kept': (state) => ({
    ...state,
    files: Object.fromEntries(
      Array.from({ length: 17 }, (_, i) => [`workspace/${i}`, { ...fileOf(state), size: 4 * 1024 * 1024 }]),
    ),
  }),
  'prompts that are numbers': (state) => ({ ...state, open: [1] }),
  'a long list of prompts': (state) => ({ ...state, open: Array(1_001).fill('prm_9') }),
  'turns that are text': (state) => ({ ...state, turns: 'prm_1' }),
  'a turn that is text': (state) => ({ ...state, turns: ['prm_1'] }),
  'more turns than are kept': (state) => ({ ...state, turns: Array(21).fill(state.turns[0]) }),
  'an end at no time': (state) => ({ ...state, turns: [{ ...state.turns[0], endedAt: 'soon' }] }),
  'a problem that is an object': (state) => ({ ...state, turns: [{ ...state.turns[0], problem: {} }] }),
  'a long problem': (state) => ({ ...state, turns: [{ ...state.turns[0], problem: 'x'.repeat(10_000) }] }),
  'a change of nothing': (state) => changed(state, { before: null, after: null }),
  'a change outside': (state) => changed(state, { path: '../outside/secret' }),
  'a change from the top of the machine': (state) => changed(state, { path: '/etc/passwd' }),
  'a change of no name': (state) => changed(state, { path: '' }),
  'a change in what the service writes': (state) => changed(state, { path: 'config/manifest.json' }),
  'a change in the supervisor’s own folder': (state) => changed(state, { path: '.berth/known-files.gz' }),
  'a change of a path that is a number': (state) => changed(state, { path: 7 }),
  'a change made a thousand times': ({ turns: [one], ...state }) => ({
    ...state,
    turns: [{ ...one, changes: Array(1_000).fill(one.changes[0]) }],
  }),
}
const fileOf = ({ files }: Any) => files['workspace/tides.md']
const edited = (files: Any, change: object) => ({
  'workspace/tides.md': { ...files['workspace/tides.md'], ...change },
})
const changed = ({ turns: [one], ...state }: Any, change: object) => ({
  ...state,
  turns: [{ ...one, changes: [{ ...one.changes[0], ...change }] }],
})

describe('a journal that the supervisor cannot have written counts as empty', () => {
  test.each(Object.keys(spoils))('%s', async (what) => {
    const state = JSON.parse(readFileSync(volume.at(journalPath), 'utf8'))
    writeFileSync(volume.at(journalPath), JSON.stringify(spoils[what]?.(state)))
    expect(await undo('prm_1')).toBe('not-found')
    expect(await outcomeOf(turnChanges(volume.path, journalOf(), 'prm_1'))).toBe('not-found')
    expect([tides(), volume.tree(volume.outside)]).toEqual(['low', { secret: 'not yours' }])
    await turn('prm_2', 'lower')
    expect([await undo('prm_2'), tides()]).toEqual(['done', 'low'])
  })

  test('an unspoilt journal is read', async () => {
    expect([await undo('prm_1'), tides()]).toEqual(['done', 'high'])
  })

  test('a journal that is nested deeper than the stack', async () => {
    writeFileSync(volume.at(journalPath), `{"version":1,"open":[],"turns":[],"files":${'{"a":'.repeat(1_000_000)}`)
    expect(await undo('prm_1')).toBe('not-found')
  })

  test('a journal as large as the disk', async () => {
    truncateSync(volume.at(journalPath), 2 ** 42)
    expect(await undo('prm_1')).toBe('not-found')
    await turn('prm_2', 'lower')
    expect([await undo('prm_2'), tides()]).toEqual(['done', 'low'])
  })

  test('an entry with the name __proto__ is a file’s, and not an object’s', async () => {
    const state = JSON.parse(readFileSync(volume.at(journalPath), 'utf8'))
    const text = JSON.stringify({ ...state, files: { x: fileOf(state) } }).replace('"x"', '"__proto__"')
    writeFileSync(volume.at(journalPath), text)
    await turn('prm_2', 'lower')
    expect([await undo('prm_2'), tides()]).toEqual(['done', 'low'])
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('a journal of another user of the system', () => {
  const nobody = 65_534
  const asNobody = () => {
    const script = fileURLToPath(new URL('undo-as-another-user.mjs', import.meta.url))
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, volume.path, String(nobody)])
    return { status, said: stdout.toString(), stderr: stderr.toString() }
  }
  const isRoot = process.getuid?.() === 0
  const own = (...paths: string[]) => {
    for (const path of ['', 'workspace', 'workspace/tides.md', ...paths]) chownSync(volume.at(path), nobody, nobody)
    for (const path of [volume.around, dirname(volume.around)]) chmodSync(path, 0o711)
  }

  test('that cannot be read is replaced by a new one', () => {
    if (!isRoot) return expect(isRoot).toBe(false)
    own('.berth', '.berth/undo')
    chmodSync(volume.at(journalPath), 0o000)
    expect(asNobody()).toMatchObject({ status: 0, said: 'not-found done low', stderr: '' })
  })

  test('in a folder of another user is moved aside and replaced by a new one', () => {
    if (!isRoot) return expect(isRoot).toBe(false)
    own('.berth')
    chmodSync(volume.at('.berth/undo'), 0o700)
    expect(asNobody()).toMatchObject({ status: 0, said: 'not-found done low', stderr: '' })
  })

  test('is replaced by a new one when its mode denies all access', async () => {
    chmodSync(volume.at('.berth/undo'), 0o000)
    await turn('prm_2', 'lower')
    expect([await undo('prm_2'), tides()]).toEqual(['done', 'low'])
    rmSync(volume.at('.berth'), { recursive: true })
    mkdirSync(volume.at('.berth'), { mode: 0o000 })
    await turn('prm_3', 'lowest')
    expect([await undo('prm_3'), tides()]).toEqual(['done', 'low'])
  })
})

import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settleEdits } from '../../../agent/volume/edit.ts'
import { sha256Of } from '../../../agent/volume/store.ts'
import { cases } from '../../counts.ts'
import { Bench } from '../machine.ts'
import { pieceBytes } from '../protocol-server.ts'
import { contentAt, halfWritten, killWorker } from './killed-worker.ts'

const tries = cases(100, 15)
const names = ['a', 'b', 'c']
const usualBytes = 1_000_000
const mostBytes = 20_000_000
/**
 * The longest time from the first byte on the volume to the kill, ms: about as long as the machine takes to place the
 * file.
 */
const longestMs = (bytes: number) => 8 + bytes / 400_000
/** The time for which a connection stays open after the kill, ms. */
const cutMs = 60
/**
 * The machine is killed during the download, while it puts the file in place, as soon as anything changes at the file's
 * path, when it reports the end, or after that.
 */
const moments = ['download', 'place', 'touch', 'download', 'report', 'answer'] as const

interface Upload {
  path: string
  content: Buffer
  replaces: string
  task: ReturnType<Bench['server']['order']>
  isPlaced: boolean
  /** Whether storage has other bytes than the user sent. */
  isDamaged: boolean
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === other || (one !== undefined && other !== undefined && one.equals(other))

/** A text that differs between any two states of a path. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'none'
}

/** A worker's volume, the open upload, and the content that each path must have. */
class Uploads {
  readonly bench = new Bench()
  readonly counts = { inDownload: 0, halfPlaced: 0, unreported: 0, changedByUser: 0, answered: 0, refused: 0 }
  readonly #lies = new Map<string, Buffer | undefined>()
  #open: Upload | undefined
  #tried = 0

  get #server() {
    return this.bench.server
  }

  /** The upload that a machine does next; its condition holds when it is ordered. */
  get open(): Upload {
    this.#open ??= this.#order()
    return this.#open
  }

  #order(): Upload {
    const path = join(this.bench.volume, 'workspace', names[randomInt(names.length)] ?? '')
    const content = randomBytes(randomInt(4) === 0 ? mostBytes : randomInt(200_000, usualBytes))
    const there = this.#lies.get(path)
    const replaces = randomInt(3) === 0 ? 'anything' : there ? sha256Of(there) : 'nothing'
    const upload = { id: 'att_1', bytes: content.length, sha256: sha256Of(content) }
    const isDamaged = randomInt(8) === 0
    this.#server.objects.set('upload', isDamaged ? randomBytes(content.length) : content)
    const job = { kind: 'write', path: path.slice(this.bench.volume.length + 1), replaces, content: null, upload }
    return { path, content, replaces, task: this.#server.order(job), isPlaced: false, isDamaged }
  }

  /** Does the open upload in a machine that is killed, and checks the volume. */
  async kill(): Promise<void> {
    const { task, content, isPlaced, path } = this.open
    const before = stateOf(path)
    const { attempt } = task
    // A machine that has the file in place downloads nothing.
    const moment = moments[(isPlaced ? randomInt(moments.length) : this.#tried++) % moments.length]
    const cutAt = moment === 'download' ? randomInt(content.length - pieceBytes) : content.length
    const dying = Promise.withResolvers<void>()
    const phase = { isCut: false, isFetched: false }
    this.#server.onFetch = async (_, sentBytes) => {
      phase.isFetched = sentBytes + pieceBytes >= content.length
      phase.isCut = sentBytes > cutAt
      if (!phase.isCut) return true
      dying.resolve()
      // The connection is still open when the machine is killed.
      await sleep(cutMs)
      return false
    }
    this.#server.onEnd = () => {
      if (moment === 'report') dying.resolve()
      return moment !== 'report'
    }
    this.#server.onEffect = () => task.ends.length > 0 && dying.resolve()
    using _watch = setInterval(() => {
      if (moment === 'touch' && stateOf(path) !== before) dying.resolve()
      if (moment !== 'place' || !phase.isFetched || halfWritten(this.bench.volume).length === 0) return
      phase.isFetched = false
      setTimeout(dying.resolve, randomInt(Math.ceil(longestMs(content.length))))
    }, 1)
    await killWorker(this.bench, () => dying.promise)
    expect(task.attempt).toBe(attempt + 1)
    if (phase.isCut) this.counts.inDownload++
    await this.#check()
  }

  async #check(): Promise<void> {
    const { path, content, task } = this.open
    const there = contentAt(path)
    const left = halfWritten(this.bench.volume)
    if (!this.open.isPlaced && isSame(there, content)) {
      expect(this.#isAsSaid(this.open)).toBe(true)
      this.#open = { ...this.open, isPlaced: true }
      this.#lies.set(path, content)
    }
    for (const [each, lies] of this.#lies) expect(isSame(contentAt(each), lies)).toBe(true)
    if (!this.#lies.has(path)) expect(there).toBeUndefined()
    expect(left.length).toBeLessThanOrEqual(1)
    if (task.ends.length > 0) {
      this.#close(left)
      return
    }
    if (left.length > 0) this.counts.halfPlaced++
    if (this.open.isPlaced) this.counts.unreported++
    if (randomInt(3) > 0) return
    // As a machine does at its start, before its programs can change anything.
    await settleEdits(this.bench.volume)
    this.#changeAsUser(path)
  }

  /** Neither a refused nor a finished upload left anything behind. */
  #close(left: string[]): void {
    const upload = this.open
    const [end, ...more] = upload.task.ends
    expect([more, left]).toEqual([[], []])
    if (upload.isPlaced) expect(end).toMatchObject({ result: { kind: 'write' } })
    else {
      expect(end).toMatchObject({ failure: { code: upload.isDamaged ? 'internal' : 'conflict' } })
      expect(upload.isDamaged || !this.#isAsSaid(upload)).toBe(true)
      this.counts.refused++
    }
    this.counts.answered++
    this.#open = undefined
  }

  /** Whether the file may be written: the condition still holds. */
  #isAsSaid({ path, replaces }: Upload): boolean {
    const lies = this.#lies.get(path)
    if (replaces === 'anything') return true
    return replaces === 'nothing' ? !lies : lies !== undefined && sha256Of(lies) === replaces
  }

  #changeAsUser(path: string): void {
    this.counts.changedByUser++
    const content = randomInt(3) === 0 ? undefined : randomBytes(randomInt(1, 10_000))
    this.#lies.set(path, content)
    writeFileSync(`${path}.new`, content ?? '')
    if (content) renameSync(`${path}.new`, path)
    else for (const name of [path, `${path}.new`]) rmSync(name, { force: true })
  }
}

it(`every acknowledged upload is complete, and no other upload left anything, after ${tries} kills during uploads`, async () => {
  await using stack = new AsyncDisposableStack()
  const uploads = new Uploads()
  await uploads.bench.open()
  stack.defer(() => uploads.bench.close())
  mkdirSync(join(uploads.bench.volume, 'workspace'))
  mkdirSync(join(uploads.bench.volume, '.berth', 'edits'), { recursive: true })
  for (let tried = 0; tried < tries; tried++) await uploads.kill()
  const { inDownload, halfPlaced, unreported, changedByUser, answered, refused } = uploads.counts
  console.log(
    `${tries} kills: ${inDownload} in a download, ${halfPlaced} with a file half in place, ${unreported} after it was in place and before the report; ` +
      `${changedByUser} files changed by the user before the next attempt; ${answered} uploads answered, ${refused} of them refused`,
  )
  // A run without a kill during a download proves nothing.
  expect(inDownload).toBeGreaterThan(tries / 6)
}, 300_000)

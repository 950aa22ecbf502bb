import type { BigIntStats } from 'node:fs'
import { emptySummary, type FoundFile, filesOf } from './files.ts'
import { journalBounds, latestMs, leftOut } from './journal-state.ts'
import { stampOf } from './known-files.ts'
import { changesBetween, type JournalState, type KeptFile, keptTurns, newTurn } from './turn-record.ts'
import { TurnStore } from './turn-store.ts'

class TooMany extends Error {}

/**
 * The changes of replies, for undoing them: files are examined before the agent gets a prompt and after it is closed,
 * and the content of new or changed files is kept.
 */
export class TurnJournal {
  readonly #volume: string
  readonly #bounds: typeof journalBounds
  readonly #held = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(volume: string, bounds: Partial<typeof journalBounds> = {}) {
    this.#volume = volume
    this.#bounds = { ...journalBounds, ...bounds }
  }

  /** Before the agent has a prompt; also when it is handed out again. */
  begin(promptId: string): Promise<void> {
    return this.use(async (store, state) => {
      if (state.open.length > 0 && this.#held.size === 0 && !state.open.includes(promptId))
        await this.#close(store, state)
      this.#held.add(promptId)
      if (state.open.includes(promptId)) return
      // Changes between two turns belong to no turn.
      if (state.open.length === 0) state.files = await this.#look(store, state)
      state.open.push(promptId)
      await store.keepState(state)
    })
  }

  /** After a prompt is closed. Changes of overlapping prompts cannot be told apart, so they end together. */
  end(promptId: string): Promise<void> {
    return this.use(async (store, state) => {
      if (this.#held.delete(promptId) && this.#held.size === 0 && state.open.length > 0) await this.#close(store, state)
    })
  }

  /** One at a time: `run` sees the last state. */
  use<T>(run: (store: TurnStore, state: JournalState) => Promise<T>): Promise<T> {
    const using = this.#last.then(async () => {
      await using store = await TurnStore.open(this.#volume)
      return await run(store, await store.state())
    })
    this.#last = using.catch(() => {})
    return using
  }

  async #close(store: TurnStore, state: JournalState): Promise<void> {
    const now = await this.#look(store, state)
    const turn = newTurn(state.open, changesBetween(state.files, now), Date.now())
    Object.assign(state, { files: now, open: [], turns: keptTurns([...state.turns, turn], now) })
    await store.keepState(state)
    await store.prune(state)
  }

  /** The files now; changed ones are read. Null when there are too many. */
  async #look(store: TurnStore, { files: before }: JournalState): Promise<JournalState['files']> {
    const nowMs = Date.now()
    const files: Record<string, KeptFile> = Object.create(null)
    const isKept = new Set(Object.values(before ?? {}).flatMap(({ sha256 }) => (sha256 ? [sha256] : [])))
    let [count, bytes] = [0, 0]
    const isKnown = (path: string, stat: BigIntStats): boolean => {
      if (++count > this.#bounds.files) throw new TooMany()
      const known = before?.[path]
      if (known?.stamp !== stampOf(path, stat)) return false
      if (known.sha256 && bytes + known.size > this.#bounds.bytes) return false
      files[path] = known
      if (known.sha256) bytes += known.size
      return true
    }
    try {
      for await (const file of filesOf(this.#volume, emptySummary(), isKnown, leftOut)) {
        const room = Math.min(this.#bounds.fileBytes, this.#bounds.bytes - bytes)
        const kept = await this.#keep(store, file, room, nowMs, (sha256) => isKept.has(sha256))
        files[file.path] = kept
        if (kept.sha256) bytes += kept.size
      }
    } catch (thrown) {
      if (!(thrown instanceof TooMany)) throw thrown
      return null
    }
    return files
  }

  async #keep(
    store: TurnStore,
    { path, stat, handle }: FoundFile,
    room: number,
    nowMs: number,
    isKept: (sha256: string) => boolean,
  ): Promise<KeptFile> {
    const size = Number(stat.size)
    const file = { size, m: Math.min(Math.max(Number(stat.mtimeMs), 0), latestMs), x: Number(stat.mode) & 0o777 }
    if (size > room) return { ...file, sha256: null, stamp: stampOf(path, stat) }
    const content = Buffer.alloc(size)
    const { bytesRead } = await handle.read(content, 0, size, 0)
    const after = stampOf(path, await handle.stat({ bigint: true }))
    if (bytesRead !== size || after !== stampOf(path, stat)) return { ...file, sha256: null, stamp: '' }
    const isSettled = Number(stat.ctimeMs) < nowMs - this.#bounds.settleMs
    return { ...file, sha256: await store.keep(content, isKept), stamp: isSettled ? after : '' }
  }
}

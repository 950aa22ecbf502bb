import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { asNumber, asText } from './shapes.ts'
import { archive } from './volume/archive.ts'
import { list } from './volume/list.ts'
import { NotThere } from './volume/place.ts'
import { restoreAll, restoreInto } from './volume/restore.ts'
import { snapshot } from './volume/snapshot.ts'
import { type Store, StoreError } from './volume/store.ts'
import { openFile } from './volume/walk.ts'

/** More than this of a file goes through storage, bytes. */
const inlineBytes = 128 * 1024
const maxFileBytes = 5 * 1024 * 1024 * 1024

/** What the supervisor lends to an errand. */
export interface Hands {
  volume: string
  store: Store
  /** Whether the agent is between two turns. */
  idle(): boolean
  /** Runs it while the agent stands still, between two turns if one comes soon. */
  still<T>(work: () => Promise<T>): Promise<T>
  /** Runs it while the agent is stopped; it is started anew after. */
  stopped<T>(work: () => Promise<T>): Promise<T>
}

export type Outcome = { result: object } | { failure: { code: string; message: string } }

/** Does what the control plane asked for. Never throws: what went wrong is its answer. */
export async function runErrand(errand: Record<string, unknown>, hands: Hands): Promise<Outcome> {
  const kind = asText(errand.kind)
  const scratch = await mkdtemp(join(tmpdir(), 'berth-'))
  try {
    const work = Object.hasOwn(errands, kind) ? errands[kind] : undefined
    if (!work) return { failure: { code: 'validation', message: 'This machine does not know that errand.' } }
    return { result: { kind, ...(await work(errand, hands, scratch)) } }
  } catch (thrown) {
    if (thrown instanceof NotThere) return { failure: { code: thrown.code, message: thrown.message } }
    const why = thrown instanceof StoreError ? thrown.message : 'The machine could not do it.'
    return { failure: { code: 'internal', message: why } }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

type Work = (errand: Record<string, unknown>, hands: Hands, scratch: string) => Promise<object>

const errands: Readonly<Record<string, Work>> = {
  drain: async (_, { idle }) => (idle() ? { answer: 'ready' } : { answer: 'busy', retryAfterSeconds: 60 }),

  list: ({ path, after, limit }, { volume }) =>
    list(volume, asText(path), typeof after === 'string' ? after : null, Math.min(asNumber(limit, 200), 500)),

  async read({ path }, { volume, store }, scratch) {
    const file = await openFile(volume, asText(path))
    try {
      const { size } = await file.stat()
      if (size > maxFileBytes) throw new NotThere('validation', 'The file is larger than 5 GiB. Take an export.')
      if (size <= inlineBytes) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
        return { size: bytesRead, content: buffer.toString('base64', 0, bytesRead) }
      }
      const copy = join(scratch, 'file')
      const copied = await copyOf(file.createReadStream({ autoClose: false, end: size - 1 }), copy)
      await store.putFile('handover', copied)
      return { size }
    } finally {
      await file.close()
    }
  },

  snapshot: (_, { volume, store, still }, scratch) =>
    still(async () => ({ ...(await snapshot(volume, scratch, store)) })),

  restore: ({ path }, { volume, store, still, stopped }, scratch) =>
    typeof path === 'string'
      ? still(() => restoreInto(volume, scratch, store, path))
      : stopped(() => restoreAll(volume, scratch, store)),

  async export(_, { volume, store, still }, scratch) {
    const file = join(scratch, 'volume.tar.gz')
    const made = await still(() => archive(volume, file))
    if (made.archiveBytes > maxFileBytes) throw new NotThere('validation', 'The archive is larger than 5 GiB.')
    await store.putFile('handover', file)
    return made
  },
}

async function copyOf(from: NodeJS.ReadableStream, file: string): Promise<string> {
  await pipeline(from, createWriteStream(file, { mode: 0o600 }))
  return file
}

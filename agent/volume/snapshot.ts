import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Chunker } from './chunker.ts'
import { type Piece, pieceOf, type Store } from './store.ts'
import { type Census, type FoundFile, files, noCensus } from './walk.ts'

/** Pieces are stored some at a time: this many are held in memory. */
const batch = 4
const readBytes = 256 * 1024

export interface Snapshot {
  census: Census
  chunks: number
  newBytes: number
}

/**
 * Keeps every regular file of the volume: their bytes, one after another, in pieces that are stored once however often
 * they come, and a list of where each file lies in that. `scratch` is an empty folder of ours.
 */
export async function snapshot(volume: string, scratch: string, store: Store): Promise<Snapshot> {
  const census = noCensus()
  const chunker = new Chunker()
  const pieces = pieceWriter(store)
  const indexFile = join(scratch, 'files.gz')
  const index = createGzip({ level: 6 })
  const written = index.pipe(createWriteStream(indexFile, { mode: 0o600 }))
  const buffer = Buffer.allocUnsafe(readBytes)
  let offset = 0
  for await (const file of files(volume, census)) {
    let size = 0
    for (;;) {
      // What is appended while we read is left for the next time.
      const { bytesRead } = await file.handle.read(buffer, 0, Math.min(readBytes, file.stat.size - size), null)
      if (bytesRead === 0) break
      size += bytesRead
      for (const piece of chunker.push(buffer.subarray(0, bytesRead))) await pieces.add(piece)
    }
    const line = `${JSON.stringify(lineOf(file, size, offset))}\n`
    if (!index.write(line)) await new Promise((resolve) => index.once('drain', resolve))
    offset += size
  }
  for (const piece of chunker.end()) await pieces.add(piece)
  index.end()
  await finished(written)
  await pieces.flush()
  await store.putFile('files', indexFile)
  // The list of pieces comes last: without it there is no restore point.
  await store.putBytes('chunks', Buffer.from(JSON.stringify(pieces.list)))
  return { census: { ...census, bytes: offset }, chunks: pieces.list.length, newBytes: pieces.added() }
}

/** Path, size, time of change in ms, mode, and where the file begins in the whole. */
const lineOf = ({ path, stat }: FoundFile, size: number, offset: number) => ({
  p: path,
  s: size,
  m: Math.floor(Math.max(stat.mtimeMs, 0)),
  x: stat.mode & 0o777,
  o: offset,
})

function pieceWriter(store: Store) {
  const list: { sha256: string; size: number }[] = []
  const stored = new Set<string>()
  let held: Piece[] = []
  let added = 0
  const flush = async () => {
    if (held.length > 0) added += await store.putPieces(held)
    held = []
  }
  return {
    list,
    added: () => added,
    flush,
    async add(bytes: Buffer) {
      const piece = pieceOf(bytes)
      list.push({ sha256: piece.sha256, size: bytes.length })
      if (stored.has(piece.sha256)) return
      stored.add(piece.sha256)
      held.push(piece)
      if (held.length === batch) await flush()
    },
  }
}

import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { OnChunk } from '../../app/models/ports.ts'

interface Coding {
  /** Whether a body that begins so has it. */
  isUsed(first: Uint8Array): boolean
  open(first: Uint8Array): Transform
}

/** Bytes that begin a body of a coding. Some servers name a coding and do not use it. */
const begins =
  (...magic: number[]) =>
  (first: Uint8Array) =>
    magic.every((byte, index) => first[index] === byte)

/** Both forms that servers call deflate: with zlib's head, and without. */
const isZlib = ([head = 0, flags = 0]: Uint8Array): boolean => (head & 0x0f) === 8 && (head * 256 + flags) % 31 === 0

const gzip: Coding = { isUsed: begins(0x1f, 0x8b), open: () => createGunzip() }

/** Codings that are decoded although none was asked for. */
const codings = {
  gzip,
  'x-gzip': gzip,
  br: { isUsed: () => true, open: () => createBrotliDecompress() },
  zstd: { isUsed: begins(0x28, 0xb5, 0x2f, 0xfd), open: () => createZstdDecompress() },
  deflate: { isUsed: () => true, open: (first) => (isZlib(first) ? createInflate() : createInflateRaw()) },
} satisfies Record<string, Coding>

/** Codings that a body shows by itself: some servers use one and do not name it. */
const markedCodings = [codings.gzip, codings.zstd]

const wasCut = () => new Error('the answer was cut')

/** Hands a response's bytes over, decoded; see `UpstreamResponse.read`. */
export const readBody = (response: IncomingMessage, onChunk: OnChunk, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (response.destroyed) return reject(wasCut())
    let decoder: Transform | null | undefined
    let taking: Promise<void> | undefined
    const fail = (error: unknown) => {
      reject(error)
      response.destroy()
      decoder?.destroy()
    }
    // The last chunk may not be taken yet.
    const end = async () => {
      if (!signal.aborted) await taking
      // Node throws away what a destroyed request had not handed over yet, and calls that an end.
      if (signal.aborted) return reject(new Error('aborted'))
      return response.complete ? resolve() : reject(wasCut())
    }
    const hand = (source: Readable, chunk: Uint8Array) => {
      try {
        const wait = onChunk(chunk)
        if (!wait) return
        source.pause()
        taking = wait.then(() => {
          taking = undefined
          source.resume()
        }, fail)
      } catch (error) {
        fail(error)
      }
    }
    const open = (first: Uint8Array): Transform | null => {
      const opened = decoderOf(response.headers['content-encoding'], first)
      opened?.on('data', (chunk: Uint8Array) => hand(opened, chunk))
      opened?.once('end', end)
      opened?.once('error', () => fail(wasCut()))
      return opened
    }
    response.on('data', (chunk: Uint8Array) => {
      try {
        decoder ??= decoder === undefined ? open(chunk) : null
      } catch (error) {
        return fail(error)
      }
      if (!decoder) return hand(response, chunk)
      if (decoder.write(chunk)) return
      response.pause()
      decoder.once('drain', () => response.resume())
    })
    // Bytes that arrived before the connection broke are decoded first.
    const close = () => (decoder ? decoder.end() : end())
    response.on('end', close)
    response.on('close', close)
  })

/** Null for a body that is as it was written. @throws for a coding that is not known */
function decoderOf(header: string | undefined, first: Uint8Array): Transform | null {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const [name, ...more] = names.filter((each) => each !== '' && each !== 'identity')
  if (name === undefined) return markedCodings.find(({ isUsed }) => isUsed(first))?.open(first) ?? null
  const coding = more.length === 0 ? new Map<string, Coding>(Object.entries(codings)).get(name) : undefined
  if (!coding) throw new Error(`the answer has the coding ${names.join(', ').slice(0, 40)}`)
  return coding.isUsed(first) ? coding.open(first) : null
}

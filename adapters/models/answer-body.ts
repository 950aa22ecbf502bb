import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { OnChunk } from '../../app/ports/models.ts'

interface Coding {
  /** Whether a body that begins like this uses the coding. */
  isUsed(first: Uint8Array): boolean
  open(first: Uint8Array): Transform
}

/** First bytes of a coding: some servers declare a coding but do not use it. */
const begins =
  (...magic: number[]) =>
  (first: Uint8Array) =>
    magic.every((byte, index) => first[index] === byte)

/** Servers call both zlib and raw data "deflate". */
const isZlib = ([head = 0, flags = 0]: Uint8Array): boolean => (head & 0x0f) === 8 && (head * 256 + flags) % 31 === 0

const gzip: Coding = { isUsed: begins(0x1f, 0x8b), open: () => createGunzip() }

/** Codings that are decoded even though no request asks for one. */
const codings = {
  gzip,
  'x-gzip': gzip,
  br: { isUsed: () => true, open: () => createBrotliDecompress() },
  zstd: { isUsed: begins(0x28, 0xb5, 0x2f, 0xfd), open: () => createZstdDecompress() },
  deflate: { isUsed: () => true, open: (first) => (isZlib(first) ? createInflate() : createInflateRaw()) },
} satisfies Record<string, Coding>

/** Codings with a magic number: some servers use one without declaring it. */
const markedCodings = [codings.gzip, codings.zstd]

const wasCut = () => new Error('the answer was cut')

/** Passes on a response's decoded bytes; see `UpstreamResponse.read`. */
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
    // The last chunk may not be processed yet.
    const end = async () => {
      if (!signal.aborted) await taking
      // Node drops buffered data of a destroyed request and reports a normal end.
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
    // Decode the bytes that arrived before the connection broke.
    const close = () => (decoder ? decoder.end() : end())
    response.on('end', close)
    response.on('close', close)
  })

/** Null for an uncoded body. @throws for an unknown coding */
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

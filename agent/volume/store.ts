import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { open, readBytes } from '../http.ts'
import type { Service } from '../service.ts'
import { asObject, asText } from '../shapes.ts'

/** Tries of one transfer. */
const tries = 4
const transferMs = 10 * 60_000

/** Where a task's pieces are kept: by addresses that the service gives for each. */
export interface Store {
  /** Keeps pieces that are not kept yet; answers how many bytes were new. */
  putPieces(pieces: Piece[]): Promise<number>
  putFile(name: string, file: string): Promise<number>
  putBytes(name: string, bytes: Buffer): Promise<void>
  getPieces(hashes: string[]): Promise<Buffer[]>
  /** @throws when there is none */
  get(name: string): Promise<IncomingMessage>
}

export interface Piece {
  sha256: string
  bytes: Buffer
}

export const pieceOf = (bytes: Buffer): Piece => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes,
})

/** @throws StoreError when a transfer fails for good */
export class StoreError extends Error {
  override name = 'StoreError'
}

export function storeOf(service: Service, taskId: string): Store {
  const ask = async (body: object): Promise<{ put: Record<string, unknown>; get: Record<string, unknown> }> => {
    for (let tried = 1; ; tried++) {
      const { status, body: answer } = await service.call('files', '/agent/files', { body: { taskId, ...body } })
      if (status === 200) return { put: asObject(asObject(answer).put), get: asObject(asObject(answer).get) }
      if (status < 500 && status !== 429) throw new StoreError(`the service refused the task's files: HTTP ${status}`)
      if (tried === tries) throw new StoreError(`the service gave no address: HTTP ${status}`)
      await pause(tried)
    }
  }

  const putAt = (address: string, size: number, headers: Record<string, string>, body: () => Buffer | string) =>
    persist(async () => {
      const request = open(address, {
        method: 'PUT',
        headers: { 'content-length': size, ...headers },
        signal: AbortSignal.timeout(transferMs),
      })
      const answered = once(request, 'response')
      answered.catch(() => {})
      const sent = body()
      if (typeof sent === 'string') await pipeline(createReadStream(sent), request)
      else request.end(sent)
      const [response] = (await answered) as [IncomingMessage] // safe because that is what a response event carries
      response.resume()
      if ((response.statusCode ?? 500) >= 300) throw new StoreError(`storing answered HTTP ${response.statusCode}`)
    })

  const fetched = (address: string): Promise<IncomingMessage> =>
    persist(async () => {
      const request = open(address, { method: 'GET', headers: {}, signal: AbortSignal.timeout(transferMs) })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage] // safe because that is what a response event carries
      if (response.statusCode === 200) return response
      response.resume()
      throw new StoreError(`fetching answered HTTP ${response.statusCode}`)
    })

  const putNamed = async (name: string, size: number, body: () => Buffer | string) => {
    const address = asText((await ask({ put: [{ name, size }] })).put[name])
    await putAt(address, size, {}, body)
    return size
  }

  return {
    async putPieces(pieces) {
      const { put } = await ask({ put: pieces.map(({ sha256, bytes }) => ({ name: sha256, size: bytes.length })) })
      let added = 0
      for (const { sha256, bytes } of pieces) {
        const address = asText(put[sha256])
        if (address === '') continue
        const checksum = Buffer.from(sha256, 'hex').toString('base64')
        await putAt(address, bytes.length, { 'x-amz-checksum-sha256': checksum }, () => bytes)
        added += bytes.length
      }
      return added
    },
    putFile: async (name, file) => putNamed(name, (await stat(file)).size, () => file),
    putBytes: async (name, bytes) => void (await putNamed(name, bytes.length, () => bytes)),
    async getPieces(hashes) {
      const { get } = await ask({ get: hashes })
      const pieces: Buffer[] = []
      for (const hash of hashes) {
        const bytes = await readBytes(await fetched(asText(get[hash])), 8 * 1024 * 1024)
        if (pieceOf(bytes).sha256 !== hash) throw new StoreError('a stored piece is not what it was')
        pieces.push(bytes)
      }
      return pieces
    },
    get: async (name) => fetched(asText((await ask({ get: [name] })).get[name])),
  }
}

async function persist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (tried === tries) throw thrown
      await pause(tried)
    }
  }
}

const pause = (tried: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, 250 * 4 ** (tried - 1)))

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressRequest, SignedAddresses } from '../../domain/files/storage.ts'
import { open, readBytes, responseTo, send } from '../http.ts'
import type { Service } from '../service.ts'

/** Tries of one transfer. */
const maxTries = 4
const transferMs = 10 * 60_000
const maxChunkBytes = 8 * 1024 * 1024

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** @throws StoreError when a transfer fails for good */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** Where a task's chunks and files are kept: at addresses that the service signs for each. */
export class Store {
  readonly #service: Service
  readonly #taskId: string

  constructor(service: Service, taskId: string) {
    this.#service = service
    this.#taskId = taskId
  }

  /** Keeps chunks that are not kept yet; answers how many bytes were new. */
  async putChunks(chunks: { sha256: string; bytes: Buffer }[]): Promise<number> {
    const { put } = await this.#sign({ put: chunks.map(({ sha256, bytes }) => ({ name: sha256, size: bytes.length })) })
    let added = 0
    for (const { sha256, bytes } of chunks) {
      const address = put[sha256]
      if (!address) continue
      const checksum = Buffer.from(sha256, 'hex').toString('base64')
      await upload(address, bytes.length, () => Readable.from([bytes]), { 'x-amz-checksum-sha256': checksum })
      added += bytes.length
    }
    return added
  }

  async put(name: 'files' | 'chunks' | 'handover', content: Buffer | { file: string }): Promise<void> {
    const isBytes = Buffer.isBuffer(content)
    const size = isBytes ? content.length : (await stat(content.file)).size
    const { put } = await this.#sign({ put: [{ name, size }] })
    await upload(put[name] ?? '', size, () => (isBytes ? Readable.from([content]) : createReadStream(content.file)))
  }

  /** @throws StoreError when one is not what was stored */
  async getChunks(hashes: string[]): Promise<Buffer[]> {
    const { get } = await this.#sign({ get: hashes })
    const chunks: Buffer[] = []
    for (const hash of hashes) {
      const bytes = await readBytes(await download(get[hash] ?? ''), maxChunkBytes)
      if (sha256Of(bytes) !== hash) throw new StoreError('a stored chunk is not what it was')
      chunks.push(bytes)
    }
    return chunks
  }

  /** @throws StoreError when there is none */
  async get(name: 'files' | 'chunks'): Promise<IncomingMessage> {
    const { get } = await this.#sign({ get: [name] })
    return download(get[name] ?? '')
  }

  async #sign(wanted: Omit<AddressRequest, 'taskId'>): Promise<SignedAddresses> {
    const body: AddressRequest = { taskId: this.#taskId, ...wanted }
    for (let tried = 1; ; tried++) {
      const answer = await this.#service.call<SignedAddresses>('files', '/agent/files', { body })
      if (answer.ok) return answer.body
      const refused = answer.status < 500 && answer.status !== 429
      if (refused || tried === maxTries) throw new StoreError(`the service gave no address: HTTP ${answer.status}`)
      await pause(tried)
    }
  }
}

/** Puts what `content` reads, at an address that was signed for it; tried a few times. @throws StoreError */
export const upload = (address: string, size: number, content: () => Readable, headers: Record<string, string> = {}) =>
  retried(async () => {
    const request = open(address, {
      method: 'PUT',
      headers: { 'content-length': size, ...headers },
      signal: AbortSignal.timeout(transferMs),
    })
    const [response] = await Promise.all([responseTo(request), pipeline(content(), request)])
    response.resume()
    if ((response.statusCode ?? 500) >= 300) throw new StoreError(`storing answered HTTP ${response.statusCode}`)
  })

const download = (address: string): Promise<IncomingMessage> =>
  retried(async () => {
    const response = await send(address, { headers: {}, signal: AbortSignal.timeout(transferMs) })
    if (response.statusCode === 200) return response
    response.resume()
    throw new StoreError(`fetching answered HTTP ${response.statusCode}`)
  })

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (tried === maxTries) throw thrown
      await pause(tried)
    }
  }
}

const pause = (tried: number): Promise<void> => sleep(250 * 4 ** (tried - 1))

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChunkList } from '../../domain/files/restore-point.ts'
import type { AddressRequest, SignedAddresses } from '../../domain/files/storage.ts'
import { open, readBytes, responseTo, send } from '../kit/http.ts'
import type { Service } from '../kit/service.ts'

const maxTries = 4
const transferMs = 10 * 60_000
/** Signed addresses are valid for 15 minutes. */
const addressMs = 10 * 60_000
const maxChunkBytes = 8 * 1024 * 1024
/** Names per request, and requests at once while looking for chunks. */
const namesAtOnce = 64
const askersAtOnce = 4
const maxWaits = 12
/** Burst of requests, and rate: together below a machine's limit for 75 s. */
const pace = { burst: 130, perSecond: 1.25 }

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** A transfer failed for good. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** The object or its address is gone: retrying does not help. */
class NothingThere extends StoreError {}

export class Store {
  readonly #service: Service
  readonly taskId: string
  readonly #pace = new Pace(pace, Date.now())
  /** Addresses of chunks, and the time of signing. */
  #signed: { addresses: SignedAddresses['get']; atMs: number } = { addresses: {}, atMs: 0 }

  constructor(service: Service, taskId: string) {
    this.#service = service
    this.taskId = taskId
  }

  /** Stores missing chunks. @returns the number of new bytes */
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

  /** Which of these are not stored; stops asking after a great many, because each question counts as an upload. */
  async lost(chunks: ChunkList): Promise<{ lost: Set<string>; all: boolean }> {
    const sizes = new Map(chunks.map(({ sha256, size }) => [sha256, size]))
    const names = [...sizes].map(([name, size]) => ({ name, size }))
    const lost = new Set<string>()
    const ask = async () => {
      while (names.length > 0 && lost.size <= namesAtOnce) {
        const { put } = await this.#sign({ put: names.splice(-namesAtOnce) })
        for (const name of Object.keys(put)) lost.add(name)
      }
    }
    await Promise.all(Array.from({ length: askersAtOnce }, ask))
    return { lost, all: names.length === 0 }
  }

  async put(name: 'files' | 'chunks' | 'handover', content: Buffer | { file: string }): Promise<void> {
    const isBytes = Buffer.isBuffer(content)
    const size = isBytes ? content.length : (await stat(content.file)).size
    const { put } = await this.#sign({ put: [{ name, size }] })
    await upload(put[name] ?? '', size, () => (isBytes ? Readable.from([content]) : createReadStream(content.file)))
  }

  /** Fetches chunks; `next` names those needed next. @throws StoreError for a changed chunk */
  async getChunks(names: string[], next: string[]): Promise<Buffer[]> {
    const { addresses, atMs } = this.#signed
    if (Date.now() - atMs > addressMs || !names.every((name) => name in addresses)) {
      const wanted = new Set([...names, ...next])
      const { get } = await this.#sign({ get: [...wanted].slice(0, namesAtOnce) })
      this.#signed = { addresses: get, atMs: Date.now() }
    }
    const chunks: Buffer[] = []
    for (const name of names) {
      const bytes = await readBytes(await download(this.#signed.addresses[name] ?? ''), maxChunkBytes)
      if (sha256Of(bytes) !== name) throw new StoreError('a stored chunk is not what it was')
      chunks.push(bytes)
    }
    return chunks
  }

  /** @throws StoreError when it is missing */
  async get(name: 'files' | 'chunks' | 'upload'): Promise<IncomingMessage> {
    const { get } = await this.#sign({ get: [name] })
    return download(get[name] ?? '')
  }

  async #sign(wanted: Omit<AddressRequest, 'taskId'>): Promise<SignedAddresses> {
    const body: AddressRequest = { taskId: this.taskId, ...wanted }
    for (let tried = 1, waited = 0; ; ) {
      await sleep(this.#pace.waitMs(Date.now()))
      const answer = await this.#service.call<SignedAddresses>('files', '/agent/files', { body })
      if (answer.ok) return answer.body
      const { status, headers } = answer
      if (status === 429 && waited++ < maxWaits) await sleep(1_000 * (Number(headers['retry-after']) || 5))
      else if (status < 500 || tried === maxTries) throw new StoreError(`the service gave no address: HTTP ${status}`)
      else await pause(tried++)
    }
  }
}

/** Spreads calls: a burst, then a steady rate. */
export class Pace {
  readonly #burst: number
  readonly #perMs: number
  #room: number
  #atMs: number

  constructor({ burst, perSecond }: { burst: number; perSecond: number }, nowMs: number) {
    this.#burst = burst
    this.#perMs = perSecond / 1_000
    this.#room = burst
    this.#atMs = nowMs
  }

  /** Delay of the next call, ms. */
  waitMs(nowMs: number): number {
    this.#room = Math.min(this.#burst, this.#room + Math.max(0, nowMs - this.#atMs) * this.#perMs) - 1
    this.#atMs = nowMs
    return Math.max(0, -this.#room / this.#perMs)
  }
}

/** Puts `content` to a signed address, with retries. @throws StoreError */
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

/** Gets an object, with retries. @throws StoreError */
export const download = (address: string): Promise<IncomingMessage> =>
  retried(async () => {
    const response = await send(address, { headers: {}, signal: AbortSignal.timeout(transferMs) })
    if (response.statusCode === 200) return response
    response.resume()
    const Failure = response.statusCode === 403 || response.statusCode === 404 ? NothingThere : StoreError
    throw new Failure(`fetching answered HTTP ${response.statusCode}`)
  })

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (tried === maxTries || thrown instanceof NothingThere) throw thrown
      await pause(tried)
    }
  }
}

const pause = (tried: number): Promise<void> => sleep(250 * 4 ** (tried - 1))

import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Each write to a gzip is a hop to another thread, so lines go there many at a time. */
const heldCharacters = 64 * 1024

/** A file of JSON lines that is written. */
export class LineFile {
  readonly #into: Writable
  readonly #written: Promise<void>
  #held = ''

  constructor(path: string, zipped: boolean) {
    const file = createWriteStream(path, { mode: 0o600 })
    const gzip = zipped ? createGzip({ level: 6 }) : null
    this.#into = gzip ?? file
    this.#written = gzip ? pipeline(gzip, file) : finished(file)
    // Thrown where the end is awaited.
    this.#written.catch(() => {})
  }

  async write(line: object): Promise<void> {
    this.#held += `${JSON.stringify(line)}\n`
    if (this.#held.length >= heldCharacters) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    this.#into.end()
    await this.#written
  }

  async #flush(): Promise<void> {
    const text = this.#held
    this.#held = ''
    if (this.#into.write(text)) return
    await Promise.race([new Promise((resolve) => this.#into.once('drain', resolve)), this.#written])
  }
}

/** Lines of a file that is not zipped. */
export const linesOfFile = (path: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })

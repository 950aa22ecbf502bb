import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** Each write to gzip is a hop to another thread, so lines are written in batches. */
const heldCharacters = 64 * 1024

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

/** Maximum bytes of all lines, and of one. */
interface MostOfLines {
  bytes: number
  line: number
}

/** @throws Error for more than `most`, before it is held in memory */
export async function* unzippedLines(zipped: Readable, most: MostOfLines): AsyncGenerator<string> {
  const unzipped = zipped.on('error', (error) => unzipped.destroy(error)).pipe(createGunzip())
  let rest = Buffer.alloc(0)
  let bytes = 0
  try {
    for await (const part of unzipped) {
      bytes += part.length
      if (bytes > most.bytes) throw new Error('there are too many lines')
      let from = 0
      for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
        yield Buffer.concat([rest, part.subarray(from, end)]).toString()
        rest = Buffer.alloc(0)
        from = end + 1
      }
      rest = Buffer.concat([rest, part.subarray(from)])
      if (rest.length > most.line) throw new Error('a line is too long')
    }
    if (rest.length > 0) yield rest.toString()
  } finally {
    zipped.destroy()
  }
}

export const linesOfFile = (path: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })

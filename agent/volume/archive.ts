import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { FileSummary } from '../../domain/files/entry.ts'
import { emptySummary, type FoundFile, filesOf } from './files.ts'

const block = 512
const readBytes = 256 * 1024

/** Writes every regular file to one .tar.gz. Names keep their bytes. */
export async function archive(volume: string, file: string): Promise<{ summary: FileSummary; archiveBytes: number }> {
  const summary = emptySummary()
  const whole = Readable.from(tar(volume, summary), { objectMode: false })
  await pipeline(whole, createGzip({ level: 6 }), createWriteStream(file, { mode: 0o600 }))
  return { summary, archiveBytes: (await stat(file)).size }
}

async function* tar(volume: string, summary: FileSummary): AsyncGenerator<Buffer> {
  for await (const file of filesOf(volume, summary)) {
    const path = Buffer.concat(file.names.flatMap((name, i) => (i === 0 ? [name] : [Buffer.from('/'), name])))
    if (path.length > 100) {
      const long = Buffer.concat([path, Buffer.alloc(1)])
      yield header(Buffer.from('././@LongLink'), long.length, 0, 0, 'L')
      yield padded(long)
    }
    const { size, mtimeMs, mode } = file.stat
    yield header(path.subarray(0, 100), Number(size), Number(mtimeMs), Number(mode) & 0o777, '0')
    yield* contents(file)
  }
  yield Buffer.alloc(2 * block)
}

/** Exactly as many bytes as the header says, even if the file changes meanwhile. */
async function* contents({ handle, stat }: FoundFile): AsyncGenerator<Buffer> {
  const size = Number(stat.size)
  let read = 0
  while (read < size) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(readBytes, size - read)), 0, null, null)
    if (bytesRead === 0) break
    read += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
  for (let left = size - read; left > 0; left -= readBytes) yield Buffer.alloc(Math.min(left, readBytes))
  if (size % block > 0) yield Buffer.alloc(block - (size % block))
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((block - (bytes.length % block)) % block)])

function header(name: Buffer, size: number, changedMs: number, mode: number, type: '0' | 'L'): Buffer {
  const head = Buffer.alloc(block)
  name.copy(head, 0)
  const octal = (value: number, at: number, length: number) => {
    const digits = Math.floor(value).toString(8)
    head.write(`${digits.padStart(length - 1, '0')}\0`, at, 'latin1')
  }
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  if (size < 8 ** 11) octal(size, 124, 12)
  else {
    // Numbers beyond eleven octal digits are written in base 256.
    head.writeUInt8(0x80, 124)
    head.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(Math.max(changedMs, 0) / 1000, 136, 12)
  head.write('        ', 148, 'latin1')
  head.write(type, 156, 'latin1')
  head.write('ustar  \0', 257, 'latin1')
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return head
}

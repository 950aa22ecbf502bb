import { isUtf8 } from 'node:buffer'
import { VolumeError } from './folder.ts'

/** Names are bytes. In text, bytes outside UTF-8 are written `\xHH`, and a backslash is doubled. */
export function textOf(bytes: Buffer): string {
  const whole = bytes.toString('utf8')
  if (!whole.includes('\\') && !whole.includes('\uFFFD')) return whole
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequence(bytes, at)
    const byte = bytes[at] ?? 0
    if (length === 0) text += `\\x${byte.toString(16).padStart(2, '0')}`
    else text += byte === 0x5c ? '\\\\' : bytes.toString('utf8', at, at + length)
    at += length || 1
  }
  return text
}

/** The bytes of one name; undefined for an invalid one: empty, `.`, `..`, or with a slash or a zero byte. */
export function bytesOf(text: string): Buffer | undefined {
  const parts = text.split(/(\\x[0-9a-f]{2}|\\\\)/)
  const bytes = Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : unescaped(part))))
  const bad = bytes.length === 0 || bytes.length > 255 || bytes.includes(0) || bytes.includes(0x2f)
  return bad || bytes.equals(dot) || bytes.equals(dots) ? undefined : bytes
}

const unescaped = (part: string) => (part === '\\\\' ? Buffer.from('\\') : Buffer.from(part.slice(2), 'hex'))

const dot = Buffer.from('.')
const dots = Buffer.from('..')

/** Length of the well-formed UTF-8 sequence at `at`; 0 for none, and for U+FFFD. */
function sequence(bytes: Buffer, at: number): number {
  const length = [1, 2, 3, 4].find((count) => isUtf8(bytes.subarray(at, at + count))) ?? 0
  return bytes.toString('utf8', at, at + length) === '\uFFFD' ? 0 : length
}

/** The names along a path; none for the top. @throws VolumeError for a path that could lead elsewhere */
export function namesOf(path: string): Buffer[] {
  if (path === '') return []
  const names = path.replace(/\/+$/, '').split('/').map(bytesOf)
  if (names.every((name) => name !== undefined)) return names
  throw new VolumeError('validation', 'The path does not lead into the volume.')
}

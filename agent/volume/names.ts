/** Names on a volume are bytes. As text, bytes that are not UTF-8 are written `\xHH` and a backslash as two of them. */
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

/** The bytes of one name; undefined for text that names nothing: empty, `.`, `..`, or with a slash or a zero byte. */
export function bytesOf(text: string): Buffer | undefined {
  const parts = text.split(/(\\x[0-9a-f]{2}|\\\\)/)
  const bytes = Buffer.concat(
    parts.map((part, i) =>
      i % 2 === 0
        ? Buffer.from(part, 'utf8')
        : part === '\\\\'
          ? Buffer.from('\\')
          : Buffer.from([Number.parseInt(part.slice(2), 16)]),
    ),
  )
  const bad = bytes.length === 0 || bytes.length > 255 || bytes.includes(0) || bytes.includes(0x2f)
  return bad || text === '.' || text === '..' || bytes.equals(dot) || bytes.equals(dots) ? undefined : bytes
}

const dot = Buffer.from('.')
const dots = Buffer.from('..')

/** Length of the well-formed UTF-8 sequence that begins here; 0 for none. */
function sequence(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  const text = bytes.toString('utf8', at, at + length)
  return Buffer.byteLength(text) === length && !text.includes('\uFFFD') && [...text].length === 1 ? length : 0
}

/** The names along a path; the top of the volume has none. @returns undefined for a path that could lead elsewhere */
export function namesOf(path: string): Buffer[] | undefined {
  if (path.startsWith('/')) return undefined
  const names = path.replace(/\/+$/, '').split('/')
  if (names.length === 1 && names[0] === '') return []
  const bytes = names.map(bytesOf)
  return bytes.every((one) => one !== undefined) ? bytes : undefined
}

/**
 * A font in which each character is the same block: pictures of pages then depend neither on the fonts of a computer
 * nor on the letters of a text, such as a time of day.
 */

const unitsPerEm = 1_000
const advance = 520
const block = { left: 40, right: 480, bottom: 0, top: 560 }
const [ascender, descender] = [850, 250]

/** Glyphs: an undefined one, a space, a block. */
const glyphs = { space: 1, block: 2, count: 3 }

/** Numbers of so many bytes each, one after another. */
const bytes = (size: 1 | 2 | 4, ...numbers: number[]): Buffer => {
  const made = Buffer.alloc(size * numbers.length)
  for (const [at, number] of numbers.entries()) {
    if (size === 4) made.writeUInt32BE(number >>> 0, at * size)
    else if (size === 2) made.writeUInt16BE(number & 0xffff, at * size)
    else made.writeUInt8(number, at)
  }
  return made
}

/** Maps ranges of characters to one glyph each (cmap, format 13). */
function characterMap(): Buffer {
  const ranges = [
    [0x00, 0x20, glyphs.space],
    [0x21, 0x9f, glyphs.block],
    [0xa0, 0xa0, glyphs.space],
    [0xa1, 0x10_ffff, glyphs.block],
  ]
  const length = 16 + 12 * ranges.length
  return Buffer.concat([
    bytes(2, 0, 1, 3, 10),
    bytes(4, 12),
    bytes(2, 13, 0),
    bytes(4, length, 0, ranges.length, ...ranges.flat()),
  ])
}

function outline(): Buffer {
  const { left, right, bottom, top } = block
  return Buffer.concat([
    bytes(2, 1, left, bottom, right, top, 3, 0),
    bytes(1, 1, 1, 1, 1),
    // Each point is relative to the one before it.
    bytes(2, left, 0, right - left, 0, bottom, top - bottom, 0, bottom - top),
  ])
}

function tables(): Record<string, Buffer> {
  const drawn = outline()
  const { left, right, bottom, top } = block
  const names = Buffer.from('Blocks', 'utf16le').swap16()
  return {
    'OS/2': Buffer.concat([
      bytes(2, 4, advance, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 260, 0),
      bytes(1, ...Array(10).fill(0)),
      bytes(4, 0, 0, 0, 0),
      Buffer.from('NONE'),
      bytes(2, 0x40, 0x20, 0xffff, ascender, -descender, 0, ascender, descender),
      bytes(4, 0, 0),
      bytes(2, top, top, 0, 0x20, 1),
    ]),
    cmap: characterMap(),
    glyf: drawn,
    head: Buffer.concat([
      bytes(4, 0x1_0000, 0x1_0000, 0, 0x5f0f_3cf5),
      bytes(2, 3, unitsPerEm),
      bytes(4, 0, 0, 0, 0),
      bytes(2, left, bottom, right, top, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([
      bytes(4, 0x1_0000),
      bytes(2, ascender, -descender, 0, advance, left, 0, right, 1, 0, 0, 0, 0, 0, 0, 0, glyphs.count),
    ]),
    hmtx: bytes(2, advance, 0, advance, 0, advance, left),
    loca: bytes(4, 0, 0, 0, drawn.length),
    maxp: Buffer.concat([bytes(4, 0x1_0000), bytes(2, glyphs.count, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: Buffer.concat([bytes(2, 0, 1, 18, 3, 1, 0x409, 4, names.length, 0), names]),
    post: Buffer.concat([bytes(4, 0x3_0000, 0), bytes(2, -100, 50), bytes(4, 0, 0, 0, 0, 0)]),
  }
}

const padded = (table: Buffer): Buffer => Buffer.concat([table, Buffer.alloc(-table.length & 3)])

function sumOf(table: Buffer): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0
  return sum
}

/** The font as a TrueType file. */
export function blockFont(): Buffer {
  const all = Object.entries(tables())
  const power = Math.floor(Math.log2(all.length))
  const range = 16 * 2 ** power
  let offset = 12 + 16 * all.length
  const directory = all.map(([tag, table]) => {
    const entry = Buffer.concat([Buffer.from(tag), bytes(4, sumOf(padded(table)), offset, table.length)])
    offset += padded(table).length
    return entry
  })
  const head = Buffer.concat([bytes(4, 0x1_0000), bytes(2, all.length, range, power, 16 * all.length - range)])
  return Buffer.concat([head, ...directory, ...all.map(([, table]) => padded(table))])
}

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  euro: '€',
  pound: '£',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
}

/** `&amp;` → `&`: what Markdown says by name or number. A name that few write stays as it is. */
export const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
    if (name) return names[name] ?? all
    const point = Number.parseInt(decimal ?? hex, decimal ? 10 : 16)
    return isShown(point) ? String.fromCodePoint(point).toWellFormed() : all
  })

/** No control character, and nothing that turns the direction of a text. */
const isShown = (point: number): boolean =>
  point > 31 && point <= 0x10ffff && !(point >= 0x2028 && point <= 0x202e) && !(point >= 0x2066 && point <= 0x2069)

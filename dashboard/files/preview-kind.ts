/** By the end of the name; `text` is checked before it is shown. */
type PreviewKind = 'image' | 'markdown' | 'table' | 'pdf' | 'text'

/** Shown in an `img`, where a browser runs nothing. */
const images: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}

const endOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()

export function previewKind(name: string): PreviewKind {
  const end = endOf(name)
  if (imageType(name)) return 'image'
  if (end === 'md' || end === 'markdown') return 'markdown'
  if (end === 'csv' || end === 'tsv') return 'table'
  return end === 'pdf' ? 'pdf' : 'text'
}

export const imageType = (name: string): string | null =>
  Object.hasOwn(images, endOf(name)) ? (images[endOf(name)] ?? null) : null

/** The first rows of comma- or tab-separated text (RFC 4180). */
export function rowsOf(text: string, most: { rows: number; columns: number }): { rows: string[][]; isWhole: boolean } {
  const first = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  const separator = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ','
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    if (row.length < most.columns) row.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') cell += text[++at]
      else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === separator) endCell()
    else if (character === '\n') {
      endCell()
      rows.push(row)
      row = []
      if (rows.length === most.rows) return { rows, isWhole: at === text.length - 1 }
    } else if (character !== '\r') cell += character
  }
  if (cell !== '' || row.length > 0) {
    endCell()
    rows.push(row)
  }
  return { rows, isWhole: true }
}

import { platformLimits } from '../../domain/channels/platform.ts'

const { textCharacters } = platformLimits.discord

/**
 * CommonMark with GitHub's tables as Discord shows it: tables are code, small headings bold, bars no spoilers. Where that is
 * more than Discord takes, the text stays as it was.
 */
export function toDiscord(text: string): string {
  const written = blocksOf(text.split('\n')).join('\n')
  const fits = written.length <= textCharacters ? written : text
  return fits.trim() === '' ? '…' : fits
}

/** Lines, with fences and tables kept together. */
function blocksOf(lines: readonly string[]): string[] {
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const taken = fence
      ? fenced(lines.slice(at), fence)
      : (tabled(lines.slice(at)) ?? { lines: [plain(line)], count: 1 })
    out.push(...taken.lines)
    at += taken.count
  }
  return out
}

interface Taken {
  lines: string[]
  /** Of the lines that were there. */
  count: number
}

/** Discord knows fences of three backticks only; one that is not closed ends with the text. */
function fenced(lines: readonly string[], fence: string): Taken {
  const [first = '', ...rest] = lines
  const closes = (line: string) => {
    const mark = line.trim()
    return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)
  }
  const end = rest.findIndex(closes)
  const inside = end < 0 ? rest : rest.slice(0, end)
  // A zero-width space keeps a fence within from ending it.
  const kept = inside.map((line) => line.replaceAll('```', '`\u200b``'))
  const language = first
    .trim()
    .slice(fence.length)
    .trim()
    .replace(/[^\w+#.-].*$/, '')
  return { lines: ['```'.concat(language), ...kept, '```'], count: end < 0 ? lines.length : end + 2 }
}

const delimiter = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/
const isRow = (line: string | undefined): line is string => line?.includes('|') === true

/** Null where no table begins. */
function tabled(lines: readonly string[]): Taken | null {
  const [head, under] = lines
  if (!isRow(head) || !isRow(under) || !delimiter.test(under)) return null
  const after = lines.slice(2).findIndex((line) => !isRow(line))
  const rows = [head, ...lines.slice(2, after < 0 ? undefined : after + 2)].map(cellsOf)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)))
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (row[column] ?? '') + ' '.repeat(width - [...(row[column] ?? '')].length))
      .join('  ')
      .trimEnd()
  const [first = [], ...others] = rows
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return { lines: ['```', line(first), rule, ...others.map(line), '```'], count: rows.length + 1 }
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('```', '`\u200b``'))

/** A line of text; what is code within it stays. */
function plain(line: string): string {
  const heading = /^ {0,3}#{4,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1]
  // Three of them would quote the whole rest of the message.
  const text = heading ? `**${heading.replaceAll('**', '')}**` : line.replace(/^(\s*)>>+(?=\s)/, '$1>')
  return text
    .split(/(`+[^`]+`+)/)
    .map((part, at) => (at % 2 === 1 ? part : inline(part)))
    .join('')
}

const inline = (text: string): string =>
  text
    .replace(
      /!\[([^\]]*)\]\((\S+?)(?:\s+"[^"]*")?\)/g,
      (_, label: string, url: string) => `[${label || 'image'}](${url})`,
    )
    .replace(/(?<![\w\\_])__(?=[^\s_])(.+?)(?<=[^\s_])__(?![\w_])/g, '**$1**')
    .replaceAll('||', '\\|\\|')

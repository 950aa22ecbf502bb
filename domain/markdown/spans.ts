/** Places of code, links, tables and styles in a text: where it may be cut, and what each part then repeats. */
import type { Token, Tokens } from 'marked'
import { type MarkdownToken, read } from './lexer.ts'

export interface Span {
  kind: 'block' | 'code' | 'table' | 'style' | 'codespan' | 'link' | 'piece'
  start: number
  end: number
  /** A cut may lie between these two; nowhere if `from` is not before `to`. */
  from: number
  to: number
  /** The marks that close the span before a cut, and open it again after the cut. */
  close: string
  open: string
}

/** A paragraph, code or table; a cut repeats its containers' marks at the beginning of a line. */
export interface Block extends Span {
  kind: 'block' | 'code' | 'table'
  /** Without the marks of its containers. */
  lines: number[]
  /** The marks of quotes, and spaces for those of lists. */
  prefix: string
  /** More characters at the start of a line that continues a cut line. */
  lead: string
}

export interface Layout {
  blocks: Block[]
  /** Outer before inner. */
  spans: Span[]
  lists: { start: number; end: number }[]
}

export function layoutOf(source: string): Layout {
  const reader = new Reader()
  const starts = lineStarts(source)
  reader.blocks(read(source), new Ground(source, starts, ''))
  return reader.layout
}

const lineStarts = (text: string): number[] => [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]

/** A text within containers, without their marks. */
class Ground {
  readonly text: string
  readonly prefix: string
  readonly #starts: readonly number[]
  readonly #lines: readonly number[]

  /** @param starts the beginning of each line in the source */
  constructor(text: string, starts: readonly number[], prefix: string) {
    this.text = text
    this.prefix = prefix
    this.#starts = starts
    this.#lines = lineStarts(text)
  }

  place(offset: number): number {
    const line = this.line(offset)
    return (this.#starts[line] ?? 0) + offset - (this.#lines[line] ?? 0)
  }

  line(offset: number): number {
    let [low, high] = [0, this.#lines.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#lines[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  /** A container in this one, whose raw text begins at `at`: each of its lines is the end of a raw line. */
  within(raw: string, text: string, at: number, mark: string): Ground {
    const first = this.line(at)
    const outer = raw.split('\n')
    const starts = text.split('\n').map((line, number) => {
      const around = number === 0 ? this.place(at) : (this.#starts[first + number] ?? 0)
      return around + Math.max(0, (outer[number]?.length ?? 0) - line.length)
    })
    return new Ground(text, starts, this.prefix + mark)
  }
}

class Reader {
  readonly layout: Layout = { blocks: [], spans: [], lists: [] }

  blocks(tokens: readonly Token[], ground: Ground): void {
    let offset = 0
    for (const given of tokens) {
      const token = given as MarkdownToken // safe because these are all the tokens that the lexer makes
      const at = ground.text.indexOf(token.raw, offset)
      // Rewritten by the lexer: it has no places, and is cut as plain text.
      if (at < 0) continue
      offset = at + token.raw.length
      if (token.type === 'blockquote') this.blocks(token.tokens, ground.within(token.raw, token.text, at, '> '))
      else if (token.type === 'list') this.#list(token, ground, at)
      else if (token.type !== 'space' && token.type !== 'checkbox') this.#leaf(token, ground, at)
    }
  }

  #list({ items, raw }: Tokens.List, ground: Ground, at: number): void {
    this.layout.lists.push({ start: ground.place(at), end: ground.place(at + raw.length) })
    let from = at
    for (const item of items) {
      const mark = /^ *(?:[*+-]|\d{1,9}[.)])(?: {1,4}(?=\S)| |$)/m.exec(item.raw)?.[0] ?? '- '
      this.blocks(item.tokens, ground.within(item.raw, item.text, from, ' '.repeat(mark.length)))
      from += item.raw.length
    }
  }

  #leaf(token: MarkdownToken, ground: Ground, at: number): void {
    const raw = token.raw.trimEnd()
    const [start, end] = [ground.place(at), ground.place(at + raw.length)]
    const lines = lineStarts(raw).map((line) => ground.place(at + line))
    const block: Block = {
      kind: 'block',
      start,
      end,
      from: start,
      to: end,
      close: '',
      open: '',
      lines,
      prefix: ground.prefix,
      lead: '',
    }
    this.layout.blocks.push(block)
    this.layout.spans.push(block)
    if (token.type === 'code') asCode(block, raw)
    else if (token.type === 'table') {
      asTable(block, raw)
      let from = at
      for (const { tokens, text } of [token.header, ...token.rows].flat())
        from = this.#words(tokens, text, ground, from)
    } else if ('tokens' in token && token.tokens && 'text' in token) {
      if (token.type === 'heading') block.lead = /^#{1,6} +/.exec(raw)?.[0] ?? ''
      this.#words(token.tokens, token.text, ground, at)
    }
  }

  /** @returns their end */
  #words(tokens: readonly Token[], text: string, ground: Ground, at: number): number {
    const from = ground.text.indexOf(text, at)
    if (from < 0) return at
    this.#inline(tokens, (offset) => ground.place(from + offset), text)
    return from + text.length
  }

  #inline(tokens: readonly Token[], place: (offset: number) => number, text: string): void {
    let offset = 0
    for (const given of tokens) {
      const token = given as MarkdownToken // safe because these are all the tokens that the lexer makes
      const at = text.indexOf(token.raw, offset)
      if (at < 0) continue
      offset = at + token.raw.length
      const span = spanOf(token)
      if (span) {
        const { kind, before, after, ...marks } = span
        const [start, end] = [place(at), place(offset - 1) + 1]
        this.layout.spans.push({ kind, start, end, from: start + before, to: end - after, ...marks })
      } else if (token.type === 'text') this.#pieces(token.raw, (within) => place(at + within))
      const before = span?.before ?? 0
      if ('tokens' in token && token.tokens && 'text' in token && (span?.kind !== 'link' || token.raw.startsWith('[')))
        this.#inline(
          token.tokens,
          (within) => place(at + before + within),
          token.raw.slice(before, token.raw.length - (span?.after ?? 0)),
        )
    }
  }

  /** Each counts as one character. */
  #pieces(raw: string, place: (offset: number) => number): void {
    for (const { index, 0: name } of raw.matchAll(/&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{2,8});/gi))
      this.layout.spans.push(piece(place(index), place(index + name.length - 1) + 1))
  }
}

const piece = (start: number, end: number): Span => ({
  kind: 'piece',
  start,
  end,
  from: end,
  to: start,
  close: '',
  open: '',
})

function spanOf(token: MarkdownToken) {
  const { raw } = token
  if (token.type === 'strong' || token.type === 'em' || token.type === 'del') {
    const mark = raw.slice(0, (raw.length - token.text.length) / 2)
    return { kind: 'style' as const, before: mark.length, after: mark.length, open: mark, close: mark }
  }
  if (token.type === 'codespan') {
    const mark = /^`+/.exec(raw)?.[0] ?? ''
    return { kind: 'codespan' as const, before: mark.length, after: mark.length, open: mark, close: mark }
  }
  if (token.type === 'link' && raw.startsWith('[')) {
    const label = token.tokens.reduce((length, { raw: inner }) => length + inner.length, 1)
    return { kind: 'link' as const, before: 1, after: raw.length - label, open: '[', close: raw.slice(label) }
  }
  if (token.type === 'text' || token.type === 'plain') return null
  // An address, an image, an escape, HTML or a formula may not be cut.
  const kind = token.type === 'link' || token.type === 'image' ? ('link' as const) : ('piece' as const)
  const label = token.type === 'image' ? raw.lastIndexOf('](') : 0
  return { kind, before: raw.length, after: raw.length - Math.max(label, 0), open: '', close: '' }
}

/** A longer line that opens code is not repeated. */
const mostInfo = 60

function asCode(block: Block, raw: string): void {
  block.kind = 'code'
  const [first = '', ...rest] = raw.split('\n')
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(first)?.[1]
  if (!fence) {
    block.lead = '    '
    return
  }
  const last = rest.at(-1)?.trim() ?? ''
  const isClosed = last.length >= fence.length && last === fence.charAt(0).repeat(last.length)
  block.open = `${block.prefix}${first.length <= mostInfo ? first.trim() : fence}\n`
  block.close = `\n${block.prefix}${fence}`
  block.from = block.lines[1] ?? block.end
  // The end of the line before the closing fence.
  block.to = isClosed ? (block.lines.at(-2) ?? block.from) + (rest.at(-2)?.length ?? 0) : block.end
}

function asTable(block: Block, raw: string): void {
  block.kind = 'table'
  const [header = '', delimiter = ''] = raw.split('\n')
  block.open = [header, delimiter].map((line) => `${block.prefix}${line}\n`).join('')
  block.from = block.lines[2] ?? block.end
}

/** Markdown as Telegram shows it: plain text, and entities that say how parts of it look. */
import type { MessageEntity } from '@grammyjs/types'
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { cut } from '../../domain/text.ts'

/** Telegram's own limits: characters of a message, entities that it looks at. */
export const mostCharacters = 4096
const mostEntities = 100

export interface Formatted {
  text: string
  /** Offsets and lengths in UTF-16 code units, as JavaScript counts; none reaches over the edge of another. */
  entities: MessageEntity[]
}

/**
 * What Markdown says. Entities and not Telegram's Markdown or HTML: these refuse a whole message for one character, and what an
 * agent writes could make buttons and mentions with them. Nothing here notifies anybody. What grows too long when it is laid
 * out is shown with less of a layout. Never empty, unless the text is.
 */
export function formatted(markdown: string): Formatted {
  const source = clean(markdown)
  for (const aligned of [true, false]) {
    const made = laidOut(source, aligned)
    if (made && made.text !== '' && made.text.length <= mostCharacters) return made
  }
  return plain(source)
}

/** As it was written, for what cannot be laid out. */
export const plain = (markdown: string): Formatted => ({
  // As wide as before, since there may be no room for more.
  text: cut(clean(markdown).replaceAll(mention, '\uff20').trim(), mostCharacters),
  entities: [],
})

/** What Telegram takes out of a text, or refuses; offsets would no longer be right. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replaceAll(/[\u2028-\u202e\u2066-\u2069]/g, '')

/** Where `@name` would notify somebody. */
const mention = /(?<![\w@])@(?=\w)/g

function laidOut(source: string, aligned: boolean): Formatted | null {
  try {
    const writer = new Writer(aligned)
    writer.blocks(lexer(source))
    return writer.result()
  } catch {
    // Nested deeper than the stack goes.
    return null
  }
}

/** Entities around which others end, and begin again. */
const uncut = ['pre', 'code']
const linkable = (href: string) => ['http:', 'https:', 'mailto:', 'tel:'].includes(URL.parse(href)?.protocol ?? '')

class Writer {
  #text = ''
  readonly #entities: MessageEntity[] = []
  readonly #aligned: boolean
  #depth = 0
  #quoted = false
  #linked = false

  constructor(aligned: boolean) {
    this.#aligned = aligned
  }

  result(): Formatted {
    const start = this.#text.length - this.#text.trimStart().length
    const text = this.#text.trim()
    const kept = withoutOverlaps(this.#entities)
      .map((entity) => moved(entity, start, text.length))
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.offset - b.offset || b.length - a.length)
    return { text, entities: kept.slice(0, mostEntities) }
  }

  blocks(tokens: readonly Token[], between = '\n\n'): void {
    let first = true
    for (const token of tokens) {
      if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') continue
      if (!first) this.#write(between)
      first = false
      this.#block(token)
    }
  }

  #block(given: Token): void {
    const token = given as MarkedToken // safe because no extension of the parser adds other tokens
    if (token.type === 'heading') this.#style('bold', () => this.#inline(token.tokens))
    else if (token.type === 'code') this.#pre(token.text, token.lang)
    else if (token.type === 'blockquote') this.#quote(token)
    else if (token.type === 'list') this.#list(token)
    else if (token.type === 'table') this.#table(token)
    else if (token.type === 'hr') this.#write('———')
    else if (token.type === 'paragraph' || token.type === 'text') this.#inline(token.tokens ?? [token])
    else this.#inline([token])
  }

  #quote({ tokens }: Tokens.Blockquote): void {
    // A quote cannot lie within a quote.
    if (this.#quoted) this.blocks(tokens, '\n')
    else {
      this.#quoted = true
      this.#style('blockquote', () => this.blocks(tokens, '\n'))
      this.#quoted = false
    }
  }

  #list({ items, ordered, start }: Tokens.List): void {
    const indent = '  '.repeat(this.#depth)
    this.#depth += 1
    for (const [at, { tokens, task, checked }] of items.entries()) {
      const mark = ordered ? `${Number(start || 1) + at}.` : '•'
      this.#write(`${at > 0 ? '\n' : ''}${indent}${task ? (checked ? '☑' : '☐') : mark} `)
      this.blocks(tokens, '\n')
    }
    this.#depth -= 1
  }

  /** Telegram has no tables: columns under each other, in letters of one width. */
  #table({ header, rows, raw }: Tokens.Table): void {
    const lines = [header, ...rows].map((cells) => cells.map(({ tokens }) => textOf(tokens)))
    const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
    const row = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' │ ')
    const [head = [], ...body] = lines
    const rule = widths.map((width) => '─'.repeat(width)).join('─┼─')
    this.#pre(this.#aligned ? [row(head), rule, ...body.map(row)].map((line) => line.trimEnd()).join('\n') : raw.trim())
  }

  #pre(text: string, lang?: string): void {
    const [language = ''] = (lang ?? '').split(/\s/)
    // Nothing to show is no entity, and a code block of nothing is still said.
    this.#style('pre', () => this.#write(text.trim() === '' ? ' ' : text), language ? { language } : {})
  }

  #inline(tokens: readonly Token[]): void {
    for (const given of tokens) {
      const token = given as MarkedToken // safe because no extension of the parser adds other tokens
      if (token.type === 'strong') this.#style('bold', () => this.#inline(token.tokens))
      else if (token.type === 'em') this.#style('italic', () => this.#inline(token.tokens))
      else if (token.type === 'del') this.#style('strikethrough', () => this.#inline(token.tokens))
      else if (token.type === 'codespan') this.#code(token.text)
      else if (token.type === 'link') this.#link(token.href, () => this.#inline(token.tokens), token.text)
      else if (token.type === 'image') this.#link(token.href, () => this.#say(token.text || 'image'), token.text)
      else if (token.type === 'br') this.#write('\n')
      else if (token.type === 'text' && token.tokens) this.#inline(token.tokens)
      else if (token.type === 'escape') this.#say(token.text)
      else if (token.type === 'html') this.#write(/^<br\s*\/?>/i.test(token.raw) ? '\n' : unnotified(token.raw))
      else this.#say(decoded('text' in token ? token.text : token.raw))
    }
  }

  #code(text: string): void {
    if (this.#linked) this.#say(text)
    else this.#style('code', () => this.#write(text))
  }

  #link(href: string, label: () => void, text: string): void {
    const within = this.#linked
    this.#linked = true
    if (within) label()
    else if (linkable(href)) this.#style('text_link', label, { url: href })
    else {
      label()
      if (href !== text) this.#say(` (${href})`)
    }
    this.#linked = within
  }

  /** Text that is no code: in code Telegram finds no names to notify. */
  #say(text: string): void {
    this.#write(unnotified(text))
  }

  #write(text: string): void {
    this.#text += text
  }

  #style(type: string, write: () => void, more: object = {}): void {
    const offset = this.#text.length
    const at = this.#entities.length
    write()
    const length = this.#text.length - offset
    // safe because only types are given that have no other fields than `more`
    if (length > 0) this.#entities.splice(at, 0, { type, offset, length, ...more } as MessageEntity)
  }
}

/** The joiner is not seen, and ends the name before it begins. */
const unnotified = (text: string): string => text.replaceAll(mention, '@\u2060')

/** Styles end where code begins, and go on after it. */
function withoutOverlaps(entities: readonly MessageEntity[]): MessageEntity[] {
  const codes = entities.filter(({ type }) => uncut.includes(type)).sort((a, b) => a.offset - b.offset)
  return entities.flatMap((entity) => {
    if (uncut.includes(entity.type) || entity.type === 'blockquote' || entity.type === 'text_link') return [entity]
    const end = entity.offset + entity.length
    const pieces: MessageEntity[] = []
    let from = entity.offset
    for (const code of codes) {
      if (code.offset + code.length <= entity.offset || code.offset >= end) continue
      pieces.push({ ...entity, offset: from, length: code.offset - from })
      from = code.offset + code.length
    }
    return [...pieces, { ...entity, offset: from, length: end - from }].filter(({ length }) => length > 0)
  })
}

/** The entity when so many characters before it, and all after the end, are gone. */
function moved(entity: MessageEntity, start: number, textLength: number): MessageEntity {
  const from = Math.max(0, entity.offset - start)
  const to = Math.min(textLength, entity.offset + entity.length - start)
  return { ...entity, offset: from, length: to - from }
}

/** The words of a table's cell, without their looks. */
function textOf(tokens: readonly Token[]): string {
  const writer = new Writer(false)
  writer.blocks(tokens, '')
  return writer.result().text.replaceAll('\n', ' ')
}

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** `&amp;` → `&`: what Markdown says by name or number. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
    if (name) return names[name] ?? all
    const point = Number.parseInt(decimal ?? hex, decimal ? 10 : 16)
    return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : all
  })

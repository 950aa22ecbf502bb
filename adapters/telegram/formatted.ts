/** Markdown for Telegram: plain text, and entities for its styles. */
import type { MessageEntity } from '@grammyjs/types'
import type { Token, Tokens } from 'marked'
import { columns } from '../../domain/markdown/columns.ts'
import { decoded, shownHtml } from '../../domain/markdown/entities.ts'
import { type MarkdownToken, read } from '../../domain/markdown/lexer.ts'
import type { Footnote } from '../../domain/markdown/syntax.ts'
import { cut } from '../../domain/text.ts'

/** Telegram's limits: characters of a message, and entities that it reads. */
export const mostCharacters = 4096
const mostEntities = 100

export interface Formatted {
  text: string
  /** Offsets and lengths in UTF-16 code units. Entities never overlap partially. */
  entities: MessageEntity[]
}

/**
 * Converts Markdown to entities. Telegram's own Markdown and HTML would refuse a whole message for one character, and
 * would let an agent's text make buttons and mentions. The result notifies nobody. A text that becomes too long gets a
 * simpler form. Empty only if the text is.
 */
export function formatted(markdown: string): Formatted {
  const source = clean(markdown)
  for (const aligned of [true, false]) {
    const made = laidOut(source, aligned)
    if (made.text !== '' && made.text.length <= mostCharacters) return made
  }
  return plain(source)
}

export const plain = (markdown: string): Formatted => ({
  // Characters of the same width, because there may be no room for more.
  text: cut(clean(markdown).replaceAll(mention, '\uff20').trim(), mostCharacters),
  entities: [],
})

/** Removes characters that Telegram removes or refuses, so that offsets stay right. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replaceAll(/[\u2028-\u202e\u2066-\u2069]/g, '')

const mention = /(?<![\w@])@(?=\w)/g

function laidOut(source: string, aligned: boolean): Formatted {
  const writer = new Writer(aligned)
  writer.blocks(read(source))
  return writer.result()
}

/** Other entities end before these and continue after them. */
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
    const token = given as MarkdownToken // safe because these are all the tokens that the lexer makes
    if (token.type === 'heading') this.#style('bold', () => this.#inline(token.tokens))
    else if (token.type === 'code') this.#pre(token.text, token.lang)
    else if (token.type === 'blockquote') this.#quote(token)
    else if (token.type === 'list') this.#list(token)
    else if (token.type === 'table') this.#table(token)
    else if (token.type === 'hr') this.#write('———')
    else if (token.type === 'paragraph' || token.type === 'text') this.#inline(token.tokens ?? [token])
    else if (token.type === 'html') this.#say(shownHtml(token.raw).trim())
    else if (token.type === 'footnote') this.#footnote(token)
    else this.#inline([token])
  }

  #footnote({ name, tokens }: Footnote): void {
    this.#say(`[^${name}]: `)
    this.#inline(tokens)
  }

  #quote({ tokens }: Tokens.Blockquote): void {
    // Telegram allows no nested quotes.
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

  /** Telegram has no tables: aligns columns in code. */
  #table({ header, rows, raw }: Tokens.Table): void {
    const [head = [], ...body] = columns([header, ...rows].map((cells) => cells.map(({ tokens }) => textOf(tokens))))
    const rule = head.map((cell) => '─'.repeat([...cell].length)).join('─┼─')
    const lines = [head.join(' │ '), rule, ...body.map((row) => row.join(' │ '))]
    this.#pre(this.#aligned ? lines.map((line) => line.trimEnd()).join('\n') : raw.trim())
  }

  #pre(text: string, lang?: string): void {
    const [language = ''] = (lang ?? '').split(/\s/)
    // Telegram drops an empty entity, so an empty code block has a space.
    this.#style('pre', () => this.#write(text.trim() === '' ? ' ' : text), language ? { language } : {})
  }

  #inline(tokens: readonly Token[]): void {
    for (const given of tokens) {
      const token = given as MarkdownToken // safe because these are all the tokens that the lexer makes
      if (token.type === 'strong') this.#style('bold', () => this.#inline(token.tokens))
      else if (token.type === 'em') this.#style('italic', () => this.#inline(token.tokens))
      else if (token.type === 'del') this.#style('strikethrough', () => this.#inline(token.tokens))
      else if (token.type === 'codespan') this.#code(token.text)
      else if (token.type === 'link') this.#link(decoded(token.href), () => this.#inline(token.tokens), token.text)
      else if (token.type === 'image')
        this.#link(decoded(token.href), () => this.#say(decoded(token.text) || 'image'), token.text)
      else if (token.type === 'br') this.#write('\n')
      else if (token.type === 'text' && token.tokens) this.#inline(token.tokens)
      else if (token.type === 'escape') this.#say(token.text)
      else if (token.type === 'html') this.#say(shownHtml(token.raw))
      else if (token.type === 'plain' || token.type === 'formula') this.#say(token.raw)
      else this.#say(decoded(token.raw))
    }
  }

  #code(text: string): void {
    this.#endName(text)
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

  /** Text outside of code. In code, Telegram notifies nobody. */
  #say(text: string): void {
    this.#endName(text)
    this.#write(unnotified(text))
  }

  /** `@` and the name may be in different tokens. */
  #endName(next: string): void {
    if (/(?<![\w@])@$/.test(this.#text) && /^\w/.test(next)) this.#write('\u2060')
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

/** The invisible joiner breaks the mention. */
const unnotified = (text: string): string => text.replaceAll(mention, '@\u2060')

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

/** The entity after the removal of `start` characters before it and of all beyond the end. */
function moved(entity: MessageEntity, start: number, textLength: number): MessageEntity {
  const from = Math.max(0, entity.offset - start)
  const to = Math.min(textLength, entity.offset + entity.length - start)
  return { ...entity, offset: from, length: to - from }
}

function textOf(tokens: readonly Token[]): string {
  const writer = new Writer(false)
  writer.blocks(tokens, '')
  return writer.result().text.replaceAll('\n', ' ')
}

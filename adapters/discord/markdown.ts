/**
 * GitHub Markdown for Discord: tables become code, small headings bold, and `||` no spoiler. Code and addresses stay
 * unchanged. If the result is too long for Discord, the original text is used.
 */
import type { Token, Tokens } from 'marked'
import { platformLimits } from '../../domain/channels/platform.ts'
import { columns } from '../../domain/markdown/columns.ts'
import { decoded, shownHtml } from '../../domain/markdown/entities.ts'
import { type MarkdownToken, read } from '../../domain/markdown/lexer.ts'

const { textCharacters } = platformLimits.discord

export function toDiscord(text: string): string {
  const tokens = read(text)
  for (const aligned of [true, false]) {
    const written = new Writer(aligned).blocks(tokens).trimEnd()
    if (written.trim() !== '' && written.length <= textCharacters) return written
  }
  return text.trim() === '' ? '…' : text
}

class Writer {
  readonly #aligned: boolean
  #quoted = false

  constructor(aligned: boolean) {
    this.#aligned = aligned
  }

  /** Joins blocks, and keeps empty lines between them. */
  blocks(tokens: readonly Token[]): string {
    let written = ''
    let between = ''
    for (const token of tokens) {
      const block = this.#block(token)
      if (block !== '') {
        written += (written === '' ? '' : between) + block
        between = '\n'
      }
      if (/\n[ \t]*\n[ \t]*$/.test(token.raw)) between = '\n\n'
    }
    return written
  }

  #block(given: Token): string {
    const token = given as MarkdownToken // safe because these are all the tokens that the lexer makes
    switch (token.type) {
      case 'space':
      case 'def':
      case 'checkbox':
        return ''
      case 'heading':
        return heading(token.depth, this.#inline(token.tokens))
      case 'code':
        return token.codeBlockStyle === 'indented' ? token.raw.trimEnd() : fenced(token.text, token.lang)
      case 'blockquote':
        return this.#quote(token)
      case 'list':
        return this.#list(token)
      case 'table':
        return this.#table(token)
      case 'hr':
        return '---'
      case 'html':
        return shownHtml(token.raw).trim()
      case 'footnote':
        return `[^${token.name}]: ${this.#inline(token.tokens)}`
      case 'paragraph':
      case 'text':
        return withoutMarksAtStarts(this.#inline(token.tokens ?? [token]))
      default:
        return this.#inline([token]).trimEnd()
    }
  }

  /** Discord has one level of quotes: `>>>` would quote the rest of the message. */
  #quote({ tokens }: Tokens.Blockquote): string {
    if (this.#quoted) return this.blocks(tokens)
    this.#quoted = true
    const inner = this.blocks(tokens)
    this.#quoted = false
    return inner.replaceAll(/^/gm, '> ')
  }

  #list({ items, ordered, start, loose }: Tokens.List): string {
    return items
      .map((item, at) => {
        const mark = ordered ? `${Number(start || 0) + at}. ` : '- '
        const task = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
        const indent = ' '.repeat(mark.length)
        return (
          mark +
          task +
          this.blocks(item.tokens)
            .replaceAll('\n', `\n${indent}`)
            .replaceAll(/\n +(?=\n)/g, '\n')
        )
      })
      .join(loose ? '\n\n' : '\n')
  }

  /** Discord has no tables: aligns columns in code. */
  #table({ header, rows, raw }: Tokens.Table): string {
    const cells = [header, ...rows].map((row) => row.map(({ tokens }) => this.#inline(tokens, plainly).trim()))
    const [head = [], ...body] = columns(cells)
    const lines = [head, head.map((cell) => '-'.repeat([...cell].length)), ...body].map((row) =>
      row.join('  ').trimEnd(),
    )
    return fenced(this.#aligned ? lines.join('\n') : raw.trimEnd())
  }

  #inline(tokens: readonly Token[], looks: Looks = marked): string {
    // safe because these are all the tokens that the lexer makes
    return tokens.map((token) => this.#span(token as MarkdownToken, looks)).join('')
  }

  #span(token: MarkdownToken, looks: Looks): string {
    switch (token.type) {
      case 'strong':
        return looks.style('**', this.#inline(token.tokens, looks))
      case 'em':
        return looks.style('*', this.#inline(token.tokens, looks))
      case 'del':
        return looks.style('~~', this.#inline(token.tokens, looks))
      case 'link':
        return looks.link(token, this.#inline(token.tokens, looks))
      case 'image':
        return looks.link(token, looks.text(decoded(token.text) || 'image'))
      case 'codespan':
        return looks.code(token)
      case 'br':
        return '\n'
      case 'escape':
        return looks.escape(token)
      case 'html':
        return shownHtml(token.raw)
      case 'text':
        return token.tokens ? this.#inline(token.tokens, looks) : looks.text(decoded(token.raw))
      case 'plain':
        return token.raw
      default:
        return looks.text(token.raw)
    }
  }
}

interface Looks {
  style(mark: string, inner: string): string
  link(token: Tokens.Link | Tokens.Image, label: string): string
  code(token: Tokens.Codespan): string
  escape(token: Tokens.Escape): string
  text(text: string): string
}

const marked: Looks = {
  style: (mark, inner) => mark + inner + mark,
  link(token, label) {
    if (token.type === 'link' && token.autolink) return token.raw
    const address = token.raw.includes('](<') || /\s/.test(token.href) ? `<${token.href}>` : token.href
    const title = token.type === 'link' && token.title ? ` "${token.title}"` : ''
    return `[${label}](${address}${title})`
  },
  // Discord reads three backticks as a block, even within a line.
  code: ({ raw, text }) => (raw.startsWith('```') ? `\`\` ${text.replaceAll('``', '`\u200b`')} \`\`` : raw),
  escape: ({ raw }) => raw,
  text: escaped,
}

/** For code, where marks would be visible. */
const plainly: Looks = {
  style: (_, inner) => inner,
  link: (_, label) => label,
  code: ({ text }) => text,
  escape: ({ text }) => text,
  text: (text) => text,
}

/** Escapes text that only Discord reads as marks. */
function escaped(text: string): string {
  return text.replaceAll(
    /\\(?=[^0-9A-Za-z\s]|$)|`|\|\||~~|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|\*/g,
    (marks, at: number) =>
      // A star between spaces is text in both.
      marks === '*' && /^\s$/.test(text.charAt(at - 1)) && /^\s$/.test(text.charAt(at + 1))
        ? marks
        : marks.replaceAll(/./g, '\\$&'),
  )
}

/** Escapes line starts that are a quote, a heading or small print only in Discord. */
const withoutMarksAtStarts = (text: string): string => text.replaceAll(/^(\s*)(?=>(?:>>)?\s|#{1,3}\s|-# )/gm, '$1\\')

const heading = (depth: number, text: string): string =>
  depth <= 3 ? `${'#'.repeat(depth)} ${text}` : `**${text.replaceAll('**', '')}**`

/** Discord knows only fences of three backticks. */
function fenced(code: string, info = ''): string {
  const language = info.trim().replace(/[^\w+#.-].*$/s, '')
  // A zero-width space keeps an inner fence from ending the block.
  return ['```'.concat(language), code.replaceAll('```', '`\u200b``'), '```'].join('\n')
}

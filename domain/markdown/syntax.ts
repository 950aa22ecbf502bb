/** Syntax that agents use besides CommonMark and GitHub's extensions: footnotes, and formulas in TeX. */
import type { TokenizerExtension, Tokens } from 'marked'

export interface FootnoteMark {
  type: 'footnote-mark'
  raw: string
  name: string
}
export interface Footnote {
  type: 'footnote'
  raw: string
  name: string
  tokens: Tokens.Generic[]
}
export interface Formula {
  type: 'formula'
  raw: string
  tex: string
  display: boolean
}

/** `<details>`: text that a reader unfolds. */
export interface Fold {
  type: 'fold'
  raw: string
  isOpen: boolean
  summary: Tokens.Generic[]
  tokens: Tokens.Generic[]
}

const startOf = (pattern: RegExp) => (source: string) => {
  const at = source.search(pattern)
  return at < 0 ? undefined : at
}

const mark: TokenizerExtension = {
  name: 'footnote-mark',
  level: 'inline',
  start: startOf(/\[\^/),
  tokenizer(source) {
    const [raw, name] = /^\[\^([\w-]{1,32})\](?!:)/.exec(source) ?? []
    return raw ? { type: 'footnote-mark', raw, name } : undefined
  },
}

const footnote: TokenizerExtension = {
  name: 'footnote',
  level: 'block',
  tokenizer(source) {
    const [raw, name, text = ''] =
      /^\[\^([\w-]{1,32})\]:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?:\n|$)/.exec(source) ?? []
    return raw ? { type: 'footnote', raw, name, tokens: this.lexer.inline(text) } : undefined
  },
}

const mostTex = 2_000

const formula = (match: RegExpExecArray | null, display: boolean): Formula | undefined => {
  const [raw, dollars, brackets] = match ?? []
  const tex = dollars ?? brackets ?? ''
  return raw && tex.trim() !== '' && tex.length <= mostTex ? { type: 'formula', raw, tex, display } : undefined
}

/** A dollar sign next to a space, or before a final digit, is money. */
const inlineFormula: TokenizerExtension = {
  name: 'inline-formula',
  level: 'inline',
  start: startOf(/\$|\\[([]/),
  tokenizer: (source) =>
    formula(/^\$\$([^$]{1,2000})\$\$/.exec(source) ?? /^\\\[([\s\S]{1,2000}?)\\\]/.exec(source), true) ??
    formula(
      /^\$(?![\s$])([^$\n]{0,1999}[^\s$\\])\$(?!\d)/.exec(source) ?? /^\\\(([^\n]{1,2000}?)\\\)/.exec(source),
      false,
    ),
}

/** Within a paragraph the inline rule applies: a `start` would make marked search the whole text at each paragraph. */
const blockFormula: TokenizerExtension = {
  name: 'block-formula',
  level: 'block',
  tokenizer: (source) =>
    formula(/^ {0,3}(?:\$\$([^$]{1,2000})\$\$|\\\[([\s\S]{1,2000}?)\\\])[ \t]*(?:\n|$)/.exec(source), true),
}

/** Tags and fences of code that are read in search of the end of a fold. */
const mostMarks = 200

const foldMark = /<(\/?)details(?:\s[^<>]{0,300})?>|^ {0,3}(?:```|~~~)/gim

/** Where the closing tag of a fold begins in the text after its summary; `</details>` in code ends nothing. */
function endOfFold(source: string): number | null {
  let depth = 1
  let isCode = false
  let read = 0
  for (const { 1: close, index } of source.matchAll(foldMark)) {
    if (++read > mostMarks) return null
    if (close === undefined) isCode = !isCode
    else if (!isCode) depth += close === '/' ? -1 : 1
    if (depth === 0) return index
  }
  return null
}

const fold: TokenizerExtension = {
  name: 'fold',
  level: 'block',
  // Only up to the end of the paragraph, because marked asks at each paragraph.
  start(source) {
    const at = source.slice(0, (source.search(/\n[ \t]*\n/) + 1 || mostTex) - 1).search(/^ {0,3}<details[\s>]/m)
    return at < 0 ? undefined : at
  },
  tokenizer(source) {
    const [head, attributes = '', summary] =
      /^ {0,3}<details(\s[^<>]{0,300})?>\s*(?:<summary(?:\s[^<>]{0,300})?>([\s\S]{0,1000}?)<\/summary>)?/i.exec(
        source,
      ) ?? []
    if (head === undefined) return undefined
    const rest = source.slice(head.length)
    const end = endOfFold(rest)
    if (end === null) return undefined
    const [close = ''] = /^[^>]*>[ \t]*\n?/.exec(rest.slice(end)) ?? []
    return {
      type: 'fold',
      raw: head + rest.slice(0, end) + close,
      isOpen: /\sopen(?![\w-])/i.test(attributes),
      summary: this.lexer.inline(summary?.trim() ?? ''),
      tokens: this.lexer.blockTokens(rest.slice(0, end), []),
    }
  },
}

export const extensions = [mark, footnote, inlineFormula, blockFormula]

/** For readers who can unfold a text. */
export const foldingExtensions = [...extensions, fold]

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

export const extensions = [mark, footnote, inlineFormula, blockFormula]

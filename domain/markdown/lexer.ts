/** The one reader of Markdown, for the dashboard and for what is written to chats. */
import { Lexer, Marked, type MarkedToken, type Token, Tokenizer, type TokensList } from 'marked'
import { ownRules } from './rules.ts'
import { extensions, type Footnote, type FootnoteMark, type Formula } from './syntax.ts'

/** A text that is too long or too deep to be read: it is shown as it is written. */
export interface Plain {
  type: 'plain'
  raw: string
  text: string
}

/** The tokens that `read` makes. */
export type MarkdownToken = MarkedToken | FootnoteMark | Footnote | Formula | Plain

/** Blocks within blocks, and styles within styles, beyond which a text is shown as it is written. */
const maxDepth = 16

/** Characters of one paragraph or cell in which styles are looked for: looking takes the square of it at worst. */
const maxStyled = 8_000

const options = optionsWith(extensions)

/** Made once for each set of rules of `marked`: the regular expressions are the same for each text. */
const ownInline = new WeakMap<object, Tokenizer['rules']['inline']>()

/** As `marked` reads Markdown, but to a depth and a length: any text is read in a time that grows with its length. */
class BoundedLexer extends Lexer {
  #depth = 0

  constructor() {
    const tokenizer = new Tokenizer()
    super({ ...options, tokenizer })
    const { rules } = tokenizer
    const inline = ownInline.get(rules.inline) ?? ownRules(rules.inline)
    ownInline.set(rules.inline, inline)
    tokenizer.rules = { ...rules, inline }
  }

  override blockTokens(source: string, tokens?: Token[], clipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, clipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], clipped?: boolean): Token[] {
    return this.#within(source, tokens, () => super.blockTokens(source, tokens, clipped))
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length > maxStyled) return plain(source, tokens)
    return this.#within(source, tokens, () => super.inlineTokens(source, tokens))
  }

  #within(source: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.#depth >= maxDepth) return plain(source, tokens)
    this.#depth += 1
    try {
      return read()
    } finally {
      this.#depth -= 1
    }
  }
}

function plain(source: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'plain', raw: source, text: source })
  return tokens
}

/** A whole text, its blocks and what is in them. */
export const read = (text: string): Token[] => new BoundedLexer().lex(text)

/** The blocks of a text alone, of which the raw texts make the text: what is in them is not read. */
export const blocksOf = (text: string): Token[] => new BoundedLexer().blockTokens(text)

function optionsWith(added: typeof extensions) {
  return new Marked({ extensions: added }).defaults
}

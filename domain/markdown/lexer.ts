/** The one reader of Markdown, for the dashboard and for chats. */
import { Lexer, Marked, type MarkedToken, type Token, Tokenizer, type TokensList } from 'marked'
import { ownRules } from './rules.ts'
import { extensions, type Fold, type Footnote, type FootnoteMark, type Formula, foldingExtensions } from './syntax.ts'

/** A text that is too long or too deep to be read; it is shown as written. */
interface Plain {
  type: 'plain'
  raw: string
  text: string
}

export type MarkdownToken = MarkedToken | FootnoteMark | Footnote | Formula | Plain

/** The result of `readFolding`. */
export type FoldingToken = MarkdownToken | Fold

/** Nested blocks or styles, beyond which a text is shown as written. */
const maxDepth = 16

/** Longest paragraph or cell whose styles are read, in characters: reading takes the square of it at worst. */
const maxStyled = 8_000

const options = optionsWith(extensions)
const folding = optionsWith(foldingExtensions)

/** One per rules of `marked`: the regular expressions are the same for each text. */
const ownInline = new WeakMap<object, Tokenizer['rules']['inline']>()

/** `marked` with limits of depth and length, so that the time to read a text grows with its length only. */
class BoundedLexer extends Lexer {
  #depth = 0

  constructor(own = options) {
    const tokenizer = new Tokenizer()
    super({ ...own, tokenizer })
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

export const read = (text: string): Token[] => new BoundedLexer().lex(text)

/** `<details>` becomes a fold; for other readers it is a text. */
export const readFolding = (text: string): Token[] => new BoundedLexer(folding).lex(text)

/** The blocks alone, without reading their contents; their raw texts together are the text. */
export const blocksOf = (text: string): Token[] => new BoundedLexer(folding).blockTokens(text)

function optionsWith(added: typeof extensions) {
  return new Marked({ extensions: added }).defaults
}

import type { Token, Tokens } from 'marked'
import { blocksOf } from '../../domain/markdown/lexer.ts'

/** A text that grows at its end, in blocks: those that change no more, and the rest. */
export interface GrowingBlocks {
  text: string
  /** Blocks that what comes does not change, as they are written, in parts; all but the last part stay as they are. */
  done: readonly (readonly string[])[]
  /** The last block so far. */
  rest: string
}

export const noBlocks: GrowingBlocks = { text: '', done: [], rest: '' }

/** The state of a growing text: only its last block is parsed again. A different text starts over. */
export function grown(before: GrowingBlocks, text: string): GrowingBlocks {
  if (text === before.text) return before
  const known = text.startsWith(before.text) ? before : noBlocks
  const { done } = known
  const source = known.rest + text.slice(known.text.length)
  const ended = endedIn(source)
  const read = ended.join('')
  if (read === '' || !source.startsWith(read)) return { text, done, rest: source }
  return { text, done: ended.reduce(withBlock, done), rest: source.slice(read.length) }
}

/** Blocks of a part. */
const together = 16

function withBlock(done: GrowingBlocks['done'], block: string): GrowingBlocks['done'] {
  if (block.trim() === '') return done
  const last = done.at(-1)
  return last && last.length < together ? [...done.slice(0, -1), [...last, block]] : [...done, [block]]
}

/** A formula on lines of its own that has not ended: it may become a block, and what is in it no others. */
const openFormula = /(?:^|\n)(?= {0,3}(?:\$\$[^$]{0,2000}\$?$|\\\[(?:[^\\]|\\(?!\])){0,2000}$))/

/**
 * The blocks of a text's whole lines before the last one, and the empty lines between them: half a mark may look like
 * another.
 */
function endedIn(source: string): string[] {
  const lines = source.slice(0, source.lastIndexOf('\n') + 1)
  const found = blocksOf(lines)
  const last = found.findLastIndex(({ type }) => type !== 'space')
  const certain = openFormula.exec(lines)?.index ?? lines.length
  let length = 0
  const ended = found.slice(0, Math.max(last, 0))
  return [...ended, ...endedItems(found[last])].flatMap(({ raw }) => {
    length += raw.length
    return length <= certain ? [raw] : []
  })
}

/** Items of a list, and characters of it, from which on those that have ended are blocks of their own. */
const longList = { items: 12, characters: 1_500 }

function endedItems(block: Token | undefined): { raw: string }[] {
  if (block?.type !== 'list' || block.raw.length < longList.characters) return []
  const { items } = block as Tokens.List // safe because that is what a list is
  if (items.length < longList.items) return []
  const raw = items
    .slice(0, -2)
    .map((item) => item.raw)
    .join('')
  return block.raw.startsWith(raw) ? [{ raw }] : []
}

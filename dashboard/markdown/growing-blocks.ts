import type { Token, Tokens } from 'marked'
import { blocksOf } from '../../domain/markdown/lexer.ts'

/** A growing text in finished blocks and the rest. */
export interface GrowingBlocks {
  text: string
  /** Finished blocks as source, in parts; only the last part may get more. */
  done: readonly (readonly string[])[]
  rest: string
}

export const noBlocks: GrowingBlocks = { text: '', done: [], rest: '' }

/** Parses only the last block again. A different text starts over. */
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

/** An unfinished formula on its own lines: it may become a block, which contains no others. */
const openFormula = /(?:^|\n)(?= {0,3}(?:\$\$[^$]{0,2000}\$?$|\\\[(?:[^\\]|\\(?!\])){0,2000}$))/

/** The blocks of all complete lines except the last block, which may still change. */
function endedIn(source: string): string[] {
  const lines = source.slice(0, source.lastIndexOf('\n') + 1)
  const blocks = blocksOf(lines)
  const last = blocks.findLastIndex(({ type }) => type !== 'space')
  const certain = openFormula.exec(lines)?.index ?? lines.length
  let length = 0
  const ended = blocks.slice(0, Math.max(last, 0))
  return [...ended, ...endedItems(blocks[last])].flatMap(({ raw }) => {
    length += raw.length
    return length <= certain ? [raw] : []
  })
}

/** In longer lists, finished items are blocks of their own. */
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

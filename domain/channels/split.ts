/** Cuts long Markdown into messages that are each complete. */
import { type Block, type Layout, layoutOf, type Span } from '../markdown/spans.ts'
import { characterEnd, codePointEnd, cut } from '../text.ts'

/**
 * Parts of at most `most` characters, cut between paragraphs, else lines, else words, never within a character, an
 * address or a link. A part closes the code, styles and links that it cuts. The next one opens them again with the
 * marks of quotes, the indents of lists, the language of code and the header of a table.
 */
export function splitText(text: string, most: number): string[] {
  if (text.length <= most) return [text]
  const splitter = new Splitter(text, most)
  return splitter.parts()
}

interface Cut {
  end: number
  next: number
  /** Close the part, and open the next. */
  close: string
  open: string
  /** Spaces of lists around the next part that a message must not begin with. */
  excess: number
}

/** Cuts before this share of the room are avoided: they leave a part that is too short. */
const leastShare = 1 / 3

/** A line that begins with more spaces, outside a list, is code. */
const mostIndent = 3

/** A character of more units than these is cut. */
const mostOfCharacter = 64

class Splitter {
  readonly #text: string
  readonly #most: number
  readonly #layout: Layout
  #near: Span[] = []

  constructor(text: string, most: number) {
    this.#text = text
    this.#most = most
    this.#layout = layoutOf(text)
  }

  parts(): string[] {
    const parts: string[] = []
    let at = 0
    let open = ''
    let excess = 0
    while (open.length + this.#text.length - at > this.#most) {
      const found = this.#cut(at, open.length)
      parts.push(outdented(open + this.#text.slice(at, found.end) + found.close, excess))
      at = found.next
      open = found.open
      excess = found.excess
    }
    const last = outdented(open + this.#text.slice(at), excess)
    if (at < this.#text.length) parts.push(last)
    const said = parts.filter((part) => part.trim() !== '')
    return said.length > 0 ? said : [parts[0] ?? '']
  }

  #cut(at: number, used: number): Cut {
    const room = Math.max(this.#most - used, 1)
    const last = Math.min(at + room, this.#text.length)
    this.#near = this.#layout.spans.filter(({ start, end }) => start < last && end > at)
    const least = at + room * leastShare
    const places = (pattern: RegExp) => this.#places(pattern, at, last).filter((place) => place > least)
    return (
      this.#first(at, places(/\n(?=[ \t>]*\n)/g), room, false) ??
      this.#first(at, places(/\n/g), room, false) ??
      this.#first(at, places(/ /g), room, false) ??
      this.#betweenCharacters(at, last, room, false) ??
      this.#first(at, places(/ /g), room, true) ??
      this.#betweenCharacters(at, last, room, true) ??
      this.#anywhere(at, last)
    )
  }

  #places(pattern: RegExp, at: number, last: number): number[] {
    return Array.from(this.#text.slice(at, last + 1).matchAll(pattern), ({ index }) => at + index).reverse()
  }

  #first(at: number, places: readonly number[], room: number, isForced: boolean): Cut | null {
    for (const place of places) {
      const found = this.#tried(at, place, room, isForced)
      if (found) return found
    }
    return null
  }

  /** A cut within a word. @param isForced also in spans that are cut as a last resort only */
  #betweenCharacters(at: number, last: number, room: number, isForced: boolean): Cut | null {
    const head = this.#text.slice(at, last + mostOfCharacter)
    for (let length = characterEnd(head, last - at); length > 0; ) {
      const found = this.#tried(at, at + length, room, isForced)
      if (found) return found
      const before = isForced ? length : this.#whole(at + length) - at
      length = characterEnd(head, Math.min(length - 1, before))
    }
    return null
  }

  /** The last resort, for text that no person reads. */
  #anywhere(at: number, last: number): Cut {
    const end = at + (codePointEnd(this.#text.slice(at, last + 1), last - at) || 1)
    return { end, next: end, close: '', open: '', excess: 0 }
  }

  /** The place itself, or the beginning of an uncuttable span around it. */
  #whole(place: number): number {
    const around = this.#near.find((span) => isWhole(span) && span.start < place && span.end > place)
    return around?.start ?? place
  }

  /** Null where no cut may be or the closing marks have no room. */
  #tried(at: number, place: number, room: number, isForced: boolean): Cut | null {
    const cuts = this.#near.filter(({ start, end }) => start < place && end > place)
    if (!cuts.every((span) => mayCut(span, place, this.#text, isForced))) return null
    const block = cuts.find((span): span is Block => 'lines' in span)
    const isCode = block?.kind === 'code'
    const end = isCode ? place : trimmedEnd(this.#text, at, place)
    const close = cuts
      .map((span) => span.close)
      .reverse()
      .join('')
    if (end <= at || end - at + close.length > room) return null
    return { end, close, ...this.#next(place, block, cuts) }
  }

  #next(place: number, block: Block | undefined, cuts: readonly Span[]): Pick<Cut, 'next' | 'open' | 'excess'> {
    const isLineEnd = this.#text.charAt(place) === '\n'
    if (!block) return this.#between(place)
    const styles = cuts.filter((span) => span !== block)
    const next = isLineEnd
      ? (block.lines.find((start) => start > place) ?? place + 1)
      : afterSpaces(this.#text, place, block)
    const words = block.prefix + (isLineEnd ? '' : block.lead) + styles.map(({ open }) => open).join('')
    // The header of a table must leave room for its rows.
    const again = block.open.length + words.length <= this.#most / 2 ? block.open : ''
    return { next, open: again + words, excess: excessOf(block.prefix) }
  }

  #between(place: number): Pick<Cut, 'next' | 'open' | 'excess'> {
    const [gap = ''] = /^(?:[ \t]*\n)*/.exec(this.#text.slice(place)) ?? []
    const next = place + gap.length
    const isInList = this.#layout.lists.some(({ start, end }) => start < next && next < end)
    const [marks = ''] = /^[ >]*/.exec(this.#text.slice(next)) ?? []
    return { next, open: '', excess: isInList ? excessOf(marks) : 0 }
  }
}

function mayCut(span: Span, place: number, text: string, isForced: boolean): boolean {
  if (isForced && span.open === '' && span.close === '') return true
  if (place <= span.from || place >= span.to) return false
  if (span.kind === 'table') return text.charAt(place) === '\n' || isForced
  return isForced || !isWhole(span)
}

/** Cut as a last resort only. */
const isWhole = ({ kind }: Span): boolean => kind === 'link' || kind === 'codespan' || kind === 'piece'

/** The marks of quotes, and the spaces after the last of them. */
const marksOf = /^((?: {0,3}> ?)*)( *)/

const excessOf = (marks: string): number => Math.max(0, (marksOf.exec(marks)?.[2]?.length ?? 0) - mostIndent)

/** Stops at the first line with fewer spaces. */
function outdented(text: string, excess: number): string {
  if (excess === 0) return text
  const lines = text.split('\n')
  const isDeep = (line: string) => line.trim() === '' || (marksOf.exec(line)?.[2]?.length ?? 0) >= excess
  const first = lines.findIndex((line) => !isDeep(line))
  return lines
    .map((line, at) =>
      first < 0 || at < first ? line.replace(marksOf, (_, quotes, spaces) => quotes + spaces.slice(excess)) : line,
    )
    .join('\n')
}

const trimmedEnd = (text: string, at: number, place: number): number => at + text.slice(at, place).trimEnd().length

/** Spaces at a cut belong to neither side, except in code. */
const afterSpaces = (text: string, place: number, { kind }: Block): number =>
  kind === 'code' ? place : place + (/^ */.exec(text.slice(place))?.[0].length ?? 0)

const beginningCharacters = 80

export function beginningOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return `${cut(line, beginningCharacters)} …`.trim()
}

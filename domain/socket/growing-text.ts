import { maxReplyCharacters } from '../chat/text-limits.ts'
import type { TextPiece } from './message.ts'
import { maxPieceCharacters } from './parts.ts'

/** A reply as far as a reader has it; `ahead` are pieces after a gap. */
export interface GrowingText {
  draft: number
  text: string
  ahead: readonly TextPiece[]
}

/** A reader that lacks more pieces asks for the whole text. */
const maxAhead = 50

export const noText: GrowingText = { draft: 0, text: '', ahead: [] }

/**
 * In any order, also repeated. A newer draft, or another beginning, restarts the text.
 * @returns `grown` begins at `text.length - grown.length`
 */
export function addPiece(
  held: GrowingText,
  piece: TextPiece,
): { held: GrowingText; grown: string; restarted: boolean } {
  if (piece.draft < held.draft) return { held, grown: '', restarted: false }
  const another = piece.from === 0 && !held.text.startsWith(piece.text) && !piece.text.startsWith(held.text)
  const restarted = piece.draft > held.draft || another
  const known = restarted ? { ...noText, draft: piece.draft } : held
  let { text } = known
  const ahead: TextPiece[] = []
  for (const next of [...known.ahead, piece].sort((a, b) => a.from - b.from)) {
    if (next.from > text.length) ahead.push(next)
    else text += next.text.slice(text.length - next.from)
  }
  text = text.slice(0, maxReplyCharacters)
  return {
    held: { draft: known.draft, text, ahead: ahead.slice(0, maxAhead) },
    grown: text.slice(known.text.length),
    restarted,
  }
}

/** The first missing character; null when nothing is known to be missing. */
export const missingFrom = ({ text, ahead }: GrowingText): number | null => (ahead.length > 0 ? text.length : null)

/** Pieces that fit a message, without cut surrogate pairs. */
export function piecesOf(text: string, from: number): { from: number; text: string }[] {
  const pieces: { from: number; text: string }[] = []
  for (let at = from; at < text.length; ) {
    const end = wholeCharacterEnd(text, Math.min(at + maxPieceCharacters, text.length))
    pieces.push({ from: at, text: text.slice(at, end) })
    at = end
  }
  return pieces
}

/** Half a surrogate pair would not survive UTF-8. */
const wholeCharacterEnd = (text: string, end: number): number => (isHighSurrogate(text, end - 1) ? end - 1 : end)

/** Without a first half of a surrogate pair whose second half has not arrived. */
export const sendable = (text: string): string => (isHighSurrogate(text, text.length - 1) ? text.slice(0, -1) : text)

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

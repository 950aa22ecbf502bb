import { maxReplyCharacters } from '../chat/text-limits.ts'
import type { TextPiece } from './message.ts'
import { maxPieceCharacters } from './parts.ts'

/** A reply as far as a reader has it, and the pieces that came before the one they follow on. */
export interface GrowingText {
  draft: number
  text: string
  ahead: readonly TextPiece[]
}

/** Pieces kept for later; a reader that lacks more than these asks for all. */
const maxAhead = 50

export const noText: GrowingText = { draft: 0, text: '', ahead: [] }

/**
 * Adds a piece, whatever the order and however often it comes. A newer draft begins the text again, and so does a
 * beginning that is another one.
 * @returns the text now, and what it grew by: `grown` begins at `text.length - grown.length`
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

/** From which character on the text must be asked for; null when nothing is known to be missing. */
export const missingFrom = ({ text, ahead }: GrowingText): number | null => (ahead.length > 0 ? text.length : null)

/** The text from a character on, in pieces that fit a message. Characters of two halves are not cut. */
export function piecesOf(text: string, from: number): { from: number; text: string }[] {
  const pieces: { from: number; text: string }[] = []
  for (let at = from; at < text.length; ) {
    const end = wholeCharacterEnd(text, Math.min(at + maxPieceCharacters, text.length))
    pieces.push({ from: at, text: text.slice(at, end) })
    at = end
  }
  return pieces
}

/** An end that does not leave half a surrogate pair behind: that would not survive UTF-8. */
const wholeCharacterEnd = (text: string, end: number): number => (isHighSurrogate(text, end - 1) ? end - 1 : end)

/** How much of a text that still grows can be sent: without a first half whose second has not come. */
export const sendable = (text: string): string => (isHighSurrogate(text, text.length - 1) ? text.slice(0, -1) : text)

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

import { maxReplyCharacters } from '../chat/text-limits.ts'
import type { TextPiece } from './message.ts'

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

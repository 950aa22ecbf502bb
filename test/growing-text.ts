import { maxPieceCharacters } from '../domain/socket/parts.ts'

/** Pieces that fit a message, without cut surrogate pairs. */
export function piecesOf(text: string, from: number): { from: number; text: string }[] {
  const pieces: { from: number; text: string }[] = []
  for (let at = from; at < text.length; ) {
    const most = Math.min(at + maxPieceCharacters, text.length)
    const end = isHighSurrogate(text, most - 1) ? most - 1 : most
    pieces.push({ from: at, text: text.slice(at, end) })
    at = end
  }
  return pieces
}

/** Without a first half of a surrogate pair whose second half has not arrived. */
export const sendable = (text: string): string => (isHighSurrogate(text, text.length - 1) ? text.slice(0, -1) : text)

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

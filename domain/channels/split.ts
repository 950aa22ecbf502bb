/** Cuts long Markdown into messages that each stand by themselves. */
import { characterEnd, codePointEnd, cut } from '../text.ts'

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** Room that is kept for closing a code block, and for opening it again. */
const fenceRoom = 80

/**
 * A text in parts of at most `most` characters, cut between paragraphs, else lines, else words, never within a character. A
 * code block that is cut is closed, and opened again in the next part.
 */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = text
  let open = ''
  while (open.length + rest.length > most) {
    const room = most - open.length - fenceRoom
    const end = cutAt(rest, Math.max(room, 1))
    const part = open + rest.slice(0, end)
    const left = openFence(part)
    parts.push(left ? `${part.trimEnd()}\n${left.marker}` : part.trimEnd())
    // Within code, what the next line begins with means something.
    rest = left ? rest.slice(end).replace(/^\n/, '') : rest.slice(end).trimStart()
    open = left ? `${cut(left.line, fenceRoom / 2)}\n` : ''
  }
  if (rest !== '' || parts.length === 0) parts.push(open + rest)
  return parts
}

/** Where to cut so that at most `room` characters come before. */
function cutAt(text: string, room: number): number {
  const head = text.slice(0, room)
  const least = room / 3
  for (const [mark, kept] of [
    ['\n\n', 1],
    ['\n', 1],
    [' ', 1],
  ] as const) {
    const at = head.lastIndexOf(mark)
    if (at > least) return at + kept
  }
  // A character that is longer than the room is cut all the same: each part has something.
  return characterEnd(text, room) || codePointEnd(text, room) || 1
}

/** The code block that a text leaves open. */
function openFence(text: string): { marker: string; line: string } | null {
  let open: { marker: string; line: string } | null = null
  for (const line of text.split('\n')) {
    const [, marker = '', info = ''] = line.match(fence) ?? []
    if (!marker) continue
    if (open === null) {
      // A line of backticks that has more of them is no opening.
      if (!(marker.startsWith('`') && info.includes('`'))) open = { marker, line: line.trim() }
    } else if (marker[0] === open.marker[0] && marker.length >= open.marker.length && info.trim() === '') open = null
  }
  return open
}

/** Characters of a message that stands in for one whose last words are still to come. */
const beginningCharacters = 80

/** What a message says until it says all: how it begins. */
export function beginningOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return `${cut(line, beginningCharacters)} …`.trim()
}

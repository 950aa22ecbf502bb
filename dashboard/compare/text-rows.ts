import { diffArrays, diffWordsWithSpace } from 'diff'
import { characterEnd } from '../../domain/text.ts'

export interface Cell {
  /** From 1. */
  line: number
  text: string
}

/** A line of both texts, or of a numbered `change` that may lack one side. */
export interface Row {
  before: Cell | null
  after: Cell | null
  change: number | null
}

/** Time limit of a comparison, ms; beyond it, everything is one change. */
const mostMs = 500

export function rowsOf(before: string, after: string): Row[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const parts = diffArrays(old, now, { timeout: mostMs }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ]
  const rows: Row[] = []
  let [lineBefore, lineAfter, change] = [0, 0, 0]
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]
    if (!part) continue
    if (!part.added && !part.removed) {
      for (const text of part.value)
        rows.push({ before: { line: ++lineBefore, text }, after: { line: ++lineAfter, text }, change: null })
      continue
    }
    const next = parts[at + 1]
    const both = next && (part.removed ? next.added : next.removed)
    if (both) at++
    const changed = both ? [part, next] : [part]
    const removed = changed.find((change) => change.removed)?.value ?? []
    const added = changed.find((change) => change.added)?.value ?? []
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      const [left, right] = [removed[i], added[i]]
      rows.push({
        before: left === undefined ? null : { line: ++lineBefore, text: left },
        after: right === undefined ? null : { line: ++lineAfter, text: right },
        change,
      })
    }
    change++
  }
  return rows
}

/** The later text without one change. */
export const takenBack = (rows: readonly Row[], change: number): string =>
  rows.flatMap((row) => (row.change === change ? row.before : row.after)?.text ?? []).join('\n')

const around = 3

/** Replaces rows far from changes by their number. */
export function folded(rows: readonly Row[]): (Row | { hidden: number; from: number })[] {
  const near = new Set<number>()
  for (const [index, { change }] of rows.entries())
    if (change !== null) for (let i = index - around; i <= index + around; i++) near.add(i)
  const shown: (Row | { hidden: number; from: number })[] = []
  for (let index = 0; index < rows.length; ) {
    let end = index
    while (end < rows.length && !near.has(end)) end++
    // A fold takes a row itself.
    if (end - index > 1) shown.push({ hidden: end - index, from: index })
    else shown.push(...rows.slice(index, Math.max(end, index + 1)))
    index = Math.max(end, index + 1)
  }
  return shown
}

export interface Piece {
  text: string
  isChanged: boolean
}

/** Characters of a line that are shown, and that are compared word by word. */
const mostShown = 2_000
const mostCompared = 400

/** The changed words of a short line, or the surroundings of the first change in a long line. */
export function piecesOf({ before, after, change }: Row): { before: Piece[]; after: Piece[] } {
  const [left, right] = [before?.text ?? '', after?.text ?? '']
  if (change !== null && before && after && left.length <= mostCompared && right.length <= mostCompared) {
    const parts = diffWordsWithSpace(left, right)
    const side = (not: 'added' | 'removed', is: 'added' | 'removed') =>
      parts.flatMap((part) => (part[not] ? [] : [{ text: part.value, isChanged: part[is] }]))
    return { before: side('added', 'removed'), after: side('removed', 'added') }
  }
  const from = left.length > mostShown || right.length > mostShown ? Math.max(0, firstDifference(left, right) - 200) : 0
  const windowed = (text: string): Piece[] => {
    const [start, end] = [characterEnd(text, from), characterEnd(text, from + mostShown)]
    const shown = text.slice(start, end).toWellFormed()
    return [{ text: `${from > 0 && shown !== '' ? '…' : ''}${shown}${end < text.length ? '…' : ''}`, isChanged: false }]
  }
  return { before: windowed(left), after: windowed(right) }
}

function firstDifference(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length)
  for (let at = 0; at < shorter; at++) if (left[at] !== right[at]) return at
  return left === right ? 0 : shorter
}

import fc from 'fast-check'
import { folded, piecesOf, rowsOf, takenBack } from '../../dashboard/compare/text-rows.ts'

const textOf = (rows: ReturnType<typeof rowsOf>, side: 'before' | 'after') =>
  rows.flatMap((row) => row[side]?.text ?? []).join('\n')
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', ' a', 'a\r'), { minLength: 1, maxLength: 12 })
  .map((all) => all.join('\n'))

describe('a comparison of two texts', () => {
  test('has every line of both, in order, with its number', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = rowsOf(before, after)
        expect([textOf(rows, 'before'), textOf(rows, 'after')]).toEqual([before, after])
        for (const side of ['before', 'after'] as const) {
          const lines = rows.flatMap((row) => row[side]?.line ?? [])
          expect(lines).toEqual(lines.map((_, index) => index + 1))
        }
        for (const { before: old, after: now, change } of rows) if (change === null) expect(old?.text).toBe(now?.text)
      }),
    )
  })

  test('loses one change at a time', () => {
    const rows = rowsOf('a\nx\nb\ny', 'a\n1\nb\n2\n3')
    expect(takenBack(rows, 0)).toBe('a\nx\nb\n2\n3')
    expect(takenBack(rows, 1)).toBe('a\n1\nb\ny')
  })

  test('becomes the earlier text when every change is undone, in any order', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (before, after, isFromEnd) => {
        let now = after
        for (let tries = 0; tries < 20 && now !== before; tries++) {
          const changes = rowsOf(before, now).flatMap(({ change }) => change ?? [])
          now = takenBack(rowsOf(before, now), (isFromEnd ? changes.at(-1) : changes[0]) ?? -1)
        }
        expect(now).toBe(before)
      }),
    )
  })

  test('loses no line to a fold', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = rowsOf(before, after)
        const opened = folded(rows).flatMap((row) =>
          'hidden' in row ? rows.slice(row.from, row.from + row.hidden) : [row],
        )
        expect(opened).toEqual(rows)
      }),
    )
    const long = Array.from({ length: 100 }, (_, line) => `line ${line}`)
    const now = long.with(50, 'other')
    expect(folded(rowsOf(long.join('\n'), now.join('\n')))).toHaveLength(3 + 1 + 3 + 2)
  })

  test('marks the words of a short line that changed', () => {
    const [row] = rowsOf('Edit gently.', 'Edit hard.')
    const { before, after } = piecesOf(row ?? { before: null, after: null, change: null })
    expect(before).toEqual([
      { text: 'Edit ', isChanged: false },
      { text: 'gently', isChanged: true },
      { text: '.', isChanged: false },
    ])
    expect(after.find(({ isChanged }) => isChanged)?.text).toBe('hard')
  })

  test('with 100 KB is bounded in time and in size', () => {
    const start = performance.now()
    const many = (letter: string) => Array.from({ length: 50_000 }, (_, line) => `${letter}${line % 7}`).join('\n')
    expect(textOf(rowsOf(many('a'), many('b')), 'after')).toBe(many('b'))
    const [row] = rowsOf('x'.repeat(100_000), `${'x'.repeat(60_000)}y${'x'.repeat(40_000)}`)
    const { before, after } = piecesOf(row ?? { before: null, after: null, change: null })
    expect(after.map((piece) => piece.text).join('')).toContain('y')
    for (const side of [before, after])
      expect(side.reduce((sum, piece) => sum + piece.text.length, 0)).toBeLessThan(2_100)
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

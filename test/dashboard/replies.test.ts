import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

interface Pages {
  html(text: unknown): string
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
    import { Markdown } from './components/markdown.tsx'
    import { StatePill } from './components/state-pill.tsx'
    export { Boundary } from './components/boundary.tsx'
    export const html = (text) => renderToStaticMarkup(<Markdown text={text} />)
    export const pill = (state) => renderToStaticMarkup(<StatePill state={state} />)
  `
  const outfile = join(folder, 'pages.cjs')
  const stdin = { contents, loader: 'tsx', resolveDir: join(import.meta.dirname, '../../dashboard') } as const
  await build({ stdin, outfile, bundle: true, format: 'cjs', platform: 'node', jsx: 'automatic' })
  pages = (await import(outfile)).default
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a reply never breaks a page', () => {
  test.each([
    ['32,000 quotes within quotes', '>'.repeat(32_000)],
    [
      'quotes and text by turns',
      Array.from({ length: 200 }, (_, i) => `${'> '.repeat(i)}x`)
        .join('\n')
        .slice(0, 32_000),
    ],
    ['one line of backticks', '`'.repeat(32_000)],
    ['backticks of every length', Array.from({ length: 240 }, (_, i) => '`'.repeat(i + 1)).join(' ')],
    ['one line of stars', '*a '.repeat(10_600)],
    ['one line of brackets', '['.repeat(32_000)],
    ['links without an end', '[a](http://'.repeat(2_900)],
    ['a fence that never ends', `\`\`\`\n${'x\n'.repeat(15_000)}`],
    ['fences only', '```\n'.repeat(8_000)],
    ['10,000 items', '- a\n'.repeat(8_000)],
    ['HTML', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ])('%s is shown, soon', (_, text) => {
    const begun = performance.now()
    const shown = pages.html(text)
    expect(performance.now() - begun).toBeLessThan(3_000)
    expect(shown).not.toMatch(/<script|<img/)
    expect(shown.match(/<blockquote/g)?.length ?? 0).toBeLessThan(2_000)
    expect(shown.length).toBeGreaterThan(20)
  })

  test('an unknown state is shown by its name', () => {
    expect(pages.pill('hibernating')).toContain('hibernating')
  })

  test('what cannot be shown leaves the rest as it is', () => {
    const props = { children: 'inside', fallback: 'instead' }
    const boundary = new pages.Boundary(props)
    expect(boundary.render()).toBe('inside')
    boundary.state = pages.Boundary.getDerivedStateFromError()
    expect(boundary.render()).toBe('instead')
  })
})

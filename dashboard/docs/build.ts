/** Builds the pages below `/docs` from Markdown, with Vite. They need no script to be read. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import hljs from 'highlight.js/lib/common'
import { Marked, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import { pagePaths } from '../../domain/dashboard-pages.ts'
import { type DocsPage, docsFile, docsPages } from '../../domain/docs-pages.ts'

const repo = join(import.meta.dirname, '../..')

const sources: Record<DocsPage, { name: string; file?: string }> = {
  '/docs': { name: 'First call', file: 'docs/api/README.md' },
  '/docs/examples': { name: 'Examples', file: 'docs/api/examples.md' },
  '/docs/reference': { name: 'Reference' },
  '/docs/webhooks': { name: 'Webhooks', file: 'docs/api/webhooks.md' },
  '/docs/events': { name: 'Events', file: 'docs/api/events.md' },
  '/docs/errors': { name: 'Errors', file: 'docs/api/errors.md' },
  '/docs/limits': { name: 'Limits', file: 'docs/api/limits.md' },
  '/docs/changelog': { name: 'Changelog', file: 'CHANGELOG.md' },
}

/** The viewer makes the reference in the browser. */
const reference = `<h1>Reference</h1>
<p>Every operation of the API. The same as a file: <a href="/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
<p>To try an operation, choose Authorize and enter a token from your <a href="/tokens">Tokens page</a>. Requests from
this page use that token, and never your session in the dashboard.</p>
<h2>Operations by subject</h2>
<div id="reference"><p>Loading…</p></div>
<noscript><p>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content.</p></noscript>`

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)

/** As GitHub names headings, so that a link works in both places. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** The address of a document that is a page; other documents are only in the repository. */
function addressOf(href: string): string {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const name = path.split('/').at(-1)
  const page =
    name === 'openapi.yaml'
      ? '/docs/reference'
      : docsPages.find((each) => sources[each].file?.split('/').at(-1) === name)
  if (!page) throw new Error(`A page of the API links to ${href}, which is no page`)
  return anchor ? `${page}#${anchor}` : page
}

/** Paths of the service that are named in a text, which become links. */
const linked: readonly string[] = [...pagePaths, '/openapi.json']
const languages: Record<string, string> = { sh: 'bash', ts: 'typescript', js: 'javascript', python: 'python' }

function code({ text, lang = '' }: Tokens.Code): string {
  const language = languages[lang] ?? lang
  const html = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escaped(text)
  return `<pre data-language="${escaped(lang)}"><code>${html}</code></pre>\n`
}

/** The headings so far of the page that is being rendered. */
let anchors: string[] = []

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const anchor = anchorOf(text)
      const earlier = anchors.filter((each) => each === anchor).length
      anchors.push(anchor)
      const id = earlier === 0 ? anchor : `${anchor}-${earlier}`
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      return `<a href="${escaped(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`
    },
    codespan: ({ text }) =>
      linked.includes(text) ? `<a href="${text}"><code>${text}</code></a>` : `<code>${escaped(text)}</code>`,
    code,
    table(token) {
      const cells = (row: Tokens.TableCell[], tag: string) =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
      // A table that is wider than a phone scrolls, also by keyboard.
      return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`
    },
  },
})

/** The blocks of one example in several languages are one group, of which the reader chooses. */
function withVariants(text: string): string {
  anchors = []
  const html = markdown.parse(text, { async: false })
  return html.replace(
    /(?:<pre data-language="(?:sh|ts|python)">(?:(?!<\/pre>)[\s\S])*<\/pre>\s*){3}/g,
    (blocks) => `<div class="variants">\n${blocks}</div>\n`,
  )
}

function contentOf(page: DocsPage): string {
  const { file } = sources[page]
  return file ? withVariants(readFileSync(join(repo, file), 'utf8')) : reference
}

function filled(template: string, page: DocsPage): string {
  const items = docsPages.map((each) => {
    const current = each === page ? ' aria-current="page"' : ''
    return `<li><a href="${each}"${current}>${sources[each].name}</a></li>`
  })
  const values: Record<string, string> = {
    title: `${sources[page].name} · Berth API`,
    navigation: `<ul>${items.join('')}</ul>`,
    kind: page === '/docs/reference' ? 'wide' : 'text',
    content: contentOf(page),
  }
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
}

const template = 'docs/page.html'

export function docsPlugin(): Plugin {
  return {
    name: 'docs',
    config: () => ({
      build: {
        rolldownOptions: {
          input: { index: join(repo, 'dashboard/index.html'), docs: join(repo, 'dashboard', template) },
        },
      },
    }),
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const built = bundle[template]
        if (built?.type !== 'asset') throw new Error(`Vite did not build ${template}`)
        delete bundle[template]
        for (const page of docsPages)
          this.emitFile({
            type: 'asset',
            fileName: docsFile(page).slice(1),
            source: filled(String(built.source), page),
          })
      },
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').split('?')[0]?.replace(/(.)\/$/, '$1')
        const page = docsPages.find((each) => each === path)
        if (!page) return next()
        const html = filled(readFileSync(join(repo, 'dashboard', template), 'utf8'), page)
        server.transformIndexHtml(`/${template}`, html).then((text) => {
          response.setHeader('content-type', 'text/html; charset=utf-8')
          response.end(text)
        }, next)
      })
    },
  }
}

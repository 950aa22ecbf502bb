/** The pages of the laptop's own helpers: `/local`, which lists them, and the inbox `/local/mail`. */
import type { Mail } from '../../emulators/aws/emulator.ts'
import { escapeHtml } from '../../emulators/kit/text.ts'
import type { PlainResponse } from './gateway-response.ts'

export interface LocalFacts {
  url: string
  dataDir: string
  /** Whether payments go to the Stripe emulator. */
  hasStripe: boolean
}

/** Lists every local helper. */
export function helpersPage({ url, dataDir, hasStripe }: LocalFacts): PlainResponse {
  const helpers = [
    ['mail', 'Inbox', 'All e-mails that the service sent, with the codes for signing in.'],
    ...(hasStripe ? [['stripe', 'Stripe', 'Payments, disputes and subscriptions of the Stripe emulator.']] : []),
    ['telegram', 'Telegram', 'Chat with your agent as on Telegram.'],
    ['slack', 'Slack', 'Chat with your agent as on Slack.'],
    ['discord', 'Discord', 'Chat with your agent as on Discord.'],
  ].map(([path, name, text]) => `<li><a href="/local/${path}">${name}</a><p>${text}</p></li>`)
  const commands = [
    [`npx node local/token.ts ${url}`, 'Prints a token for the API, MCP and model calls.'],
    ['npm start -- --routes', 'Lists all routes of the API, each with its source file.'],
    ['npm start -- --reset', 'Deletes the data and starts again. Stop the service first.'],
  ].map(([command = '', text]) => `<li><code>${escapeHtml(command)}</code><p>${text}</p></li>`)
  return page(
    'Local helpers',
    `<p>They exist only on this computer. <a href="/">Open the dashboard</a></p>
<ul>${helpers.join('')}</ul>
<h2>Commands</h2>
<ul>${commands.join('')}</ul>
<h2>Data folder</h2>
<p><code>${escapeHtml(dataDir)}</code></p>
<p>Its folder <code>data</code> holds everything that survives a restart. Its folder <code>logs</code> holds the logs.</p>`,
  )
}

/** @param mails newest first */
export function inboxPage(mails: readonly Mail[], to: string | undefined): PlainResponse {
  const who = to === undefined ? '' : ` to <strong>${escapeHtml(to)}</strong>`
  const note =
    mails.length === 0
      ? `<p>No e-mail${who} yet. <a href="">Reload this page</a></p>`
      : `<p>E-mails${who}, newest first. ${to === undefined ? '' : '<a href="/local/mail">Show all</a> '}<a href="">Reload</a></p>`
  return page('Inbox', note + mails.map(mailArticle).join(''))
}

const mailArticle = ({ subject, to, at, text }: Mail) => `<article>
<h2>${escapeHtml(subject)}</h2>
<p class="note">to ${escapeHtml(to)}, <time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 19).replace('T', ' '))} UTC</time></p>
<pre>${withLinks(text)}</pre></article>`

/** Text as HTML, with its http addresses as links. */
const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, at) => (at % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part)))
    .join('')

const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--ink:#16181d;--soft:#5a6070;--line:#d9dce3;--act:#14687e}
@media(prefers-color-scheme:dark){:root{--back:#0e1014;--card:#171a21;--ink:#eceef3;--soft:#a3a9b8;--line:#2c313c;--act:#7cc9dc}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto}
h1{margin:0 0 .5rem;font-size:1.5rem}h2{margin:2rem 0 .5rem;font-size:1rem}
a{color:var(--act)}a:focus-visible{outline:3px solid var(--act);outline-offset:2px}
code,pre{font:.875rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
ul,article{margin:0 0 1rem;padding:0 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:12px;list-style:none}
li{padding:.75rem 0}li+li{border-top:1px solid var(--line)}
li a{font-weight:600}li p,.note{margin:0;color:var(--soft)}
article h2{margin:1rem 0 0}pre{margin:.75rem 0 1rem;white-space:pre-wrap}
`

const page = (title: string, body: string): PlainResponse => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  },
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Berth on this computer</title><style>${style}</style></head>
<body><main><h1>${title}</h1>
${body}</main></body></html>`,
})

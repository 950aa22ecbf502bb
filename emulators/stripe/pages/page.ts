import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../../kit/text.ts'
import { toJson } from '../api/json.ts'

/** A request for `{base}/{kind}/{id}/{action}`; the action may be empty. */
export interface Asked {
  method: string
  base: string
  id: string
  action: string
  form: URLSearchParams
}

/** A page's answer: JSON to a script that asks for it, HTML or a redirect to a browser. */
export interface Page {
  status: number
  json: object
  title: string
  /** HTML: what the page shows. */
  body: string
  /** Where a browser goes instead of seeing `body`. */
  redirect?: string
}

/** `controlPanel` is the path that every page links to. */
export function send(response: ServerResponse, page: Page, accept: string, controlPanel: string): void {
  const common = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  if (accept.includes('application/json')) {
    response.writeHead(page.status, { ...common, 'content-type': 'application/json' }).end(toJson(page.json))
  } else if (page.redirect) {
    response.writeHead(303, { ...common, location: page.redirect }).end()
  } else {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    response
      .writeHead(page.status, {
        ...common,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      })
      .end(toHtml(page, controlPanel))
  }
}

export const failure = (status: number, error: string, message: string): Page => ({
  status,
  json: { error, message },
  title: message,
  body: `<h1>${escapeHtml(message)}</h1>`,
})
export const notFound = (message: string) => failure(404, 'not-found', message)
export const notAllowed = () => failure(404, 'not-found', 'There is nothing here to do.')

/** A form with one button; `inside` is HTML that comes before it. */
export const button = (action: string, label: string, plain = false, inside = '') =>
  `<form method="post" action="${escapeHtml(action)}">${inside}<button${plain ? ' class="plain"' : ''}>${escapeHtml(label)}</button></form>`

export const alertBox = (message: string) => `<p class="alert" role="alert">${escapeHtml(message)}</p>`

export const rows = (lines: [string, string][]) =>
  `<dl>${lines.map(([left, right]) => `<div><dt>${escapeHtml(left)}</dt><dd>${escapeHtml(right)}</dd></div>`).join('')}</dl>`

export const date = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

/** `1999`, `usd` → `$19.99`. */
export function money(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)
}

const STYLE = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--ink:#16181d;--soft:#5a6070;--line:#d9dce3;--act:#3b4cca;--act-ink:#fff;--bad:#a3121f;--bad-back:#fdecee}
@media(prefers-color-scheme:dark){:root{--back:#0e1014;--card:#171a21;--ink:#eceef3;--soft:#a3a9b8;--line:#2c313c;--act:#8c9bff;--act-ink:#10131c;--bad:#ffb3ba;--bad-back:#3a1519}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:26rem;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:2rem}
h1{margin:0;font-size:1rem;font-weight:500;color:var(--soft)}
.amount{margin:.25rem 0 1.5rem;font-size:2.25rem;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.amount small{font-size:1rem;font-weight:400;color:var(--soft);letter-spacing:0}
dl{margin:0 0 1.5rem;border-top:1px solid var(--line)}
dl div{display:flex;justify-content:space-between;gap:1rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{overflow-wrap:anywhere}dd{margin:0;font-variant-numeric:tabular-nums;white-space:nowrap}
form{margin:0 0 .75rem}
button,a.button{display:block;width:100%;padding:.75rem 1rem;border:1px solid transparent;border-radius:8px;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;background:var(--act);color:var(--act-ink)}
button.plain{background:none;color:var(--ink);border-color:var(--line)}
button:focus-visible,a:focus-visible{outline:3px solid var(--act);outline-offset:2px}
a{color:var(--act)}
label{display:block;margin:0 0 .25rem;font-size:.875rem;color:var(--soft)}
input{width:100%;margin:0 0 .75rem;padding:.7rem .8rem;border:1px solid var(--line);border-radius:8px;background:none;color:inherit;font:inherit;font-variant-numeric:tabular-nums}
input:focus-visible,summary:focus-visible{outline:3px solid var(--act);outline-offset:2px}
details{margin:0 0 .75rem;font-size:.875rem;color:var(--soft)}summary{cursor:pointer;padding:.25rem 0}
h2{margin:1.5rem 0 .5rem;font-size:1rem}ul{margin:0;padding:0;list-style:none}
li{padding:.75rem 0;border-top:1px solid var(--line)}li p{margin:0 0 .5rem;overflow-wrap:anywhere}
.actions{display:flex;flex-wrap:wrap;gap:.5rem}.actions form{margin:0}.actions button{width:auto;padding:.35rem .75rem;font-size:.875rem}
.note{margin:1.5rem 0 0;font-size:.875rem;color:var(--soft)}
.alert{margin:0 0 1.5rem;padding:.75rem 1rem;border-radius:8px;background:var(--bad-back);color:var(--bad)}
`

const toHtml = ({ title, body }: Page, controlPanel: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${body}
<p class="note">Stripe emulator. Only its test cards work, and no money moves. <a href="${controlPanel}">Refund, dispute, renew …</a></p></main></body></html>`

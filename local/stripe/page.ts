import type { ServerResponse } from 'node:http'
import { escapeHtml, page } from './html.ts'
import { toJson } from './present.ts'

/** What a page answers: JSON to a script that asks for it, HTML or a redirect to a browser. */
export interface Page {
  status: number
  json: object
  html: string
  /** Where a browser goes instead of seeing `html`. */
  redirect?: string
}

export function send(response: ServerResponse, answer: Page, accept: string): void {
  const common = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  if (accept.includes('application/json')) {
    response.writeHead(answer.status, { ...common, 'content-type': 'application/json' }).end(toJson(answer.json))
  } else if (answer.redirect) {
    response.writeHead(303, { ...common, location: answer.redirect }).end()
  } else {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    response
      .writeHead(answer.status, {
        ...common,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      })
      .end(answer.html)
  }
}

/** A form with one button; `inside` is HTML that comes before it. */
export const button = (action: string, label: string, plain = false, inside = '') =>
  `<form method="post" action="${escapeHtml(action)}">${inside}<button${plain ? ' class="plain"' : ''}>${escapeHtml(label)}</button></form>`

export const date = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

export const own = <T>(all: Record<string, T>, id: string): T | undefined =>
  Object.hasOwn(all, id) ? all[id] : undefined

export const failure = (status: number, error: string, message: string): Page => ({
  status,
  json: { error, message },
  html: page(message, `<h1>${escapeHtml(message)}</h1>`),
})
export const notFound = (message: string) => failure(404, 'not-found', message)
export const notAllowed = () => failure(404, 'not-found', 'There is nothing here to do.')

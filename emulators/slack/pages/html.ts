import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../../kit/text.ts'

/** A whole page; `body` is HTML. The page runs only the script next to it. */
export function sendPage(response: ServerResponse, title: string, body: string, formsTo = "'self'"): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action ${formsTo}`,
  ].join('; ')
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy,
    })
    .end(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title>${body}</html>`,
    )
}

export const sendJson = (response: ServerResponse, status: number, value: object): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value))

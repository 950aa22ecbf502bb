/** The page to chat from, and what it asks for. */
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type PageRequest, pagesAt } from '../../kit/pages.ts'
import { act } from './actions.ts'
import { type Answer, json, type Pages, problem } from './answer.ts'
import { html, script } from './page.ts'
import { stateOf } from './state.ts'

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function createPages(options: Omit<Pages, 'version'>, pagesUrl: string) {
  // A page from an earlier start of the emulator reloads.
  const pages: Pages = { ...options, version: Date.now() }
  for (const event of ['created', 'updated', 'deleted', 'joined', 'left', 'channelGone', 'typing'] as const)
    pages.account.on(event, () => {
      pages.version += 1
    })
  return pagesAt(pagesUrl, async (asked, response) => {
    const isRead = asked.method === 'GET' || asked.method === 'HEAD'
    const { status, type, body } = isRead ? read(pages, asked) : await perform(pages, asked)
    response
      .writeHead(status, {
        'cache-control': 'no-store',
        'content-security-policy': policy,
        'content-type': type,
        'x-content-type-options': 'nosniff',
      })
      .end(body)
    return true
  })
}

function read(pages: Pages, { base, path, query }: PageRequest): Answer {
  if (path === '' || path === '/') return { status: 200, type: 'text/html; charset=utf-8', body: html(base) }
  if (path === '/page.js') return { status: 200, type: 'text/javascript; charset=utf-8', body: script }
  if (path === '/state') return json(stateOf(pages, query.get('user') ?? ''))
  const file = pages.account.attachments.get(/^\/file\/(\d+)$/.exec(path)?.[1] ?? '')
  if (!file) return problem('There is no such page.')
  // Shown as what it is only where that runs nothing.
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(file.content_type)
  return { status: 200, type: isImage ? file.content_type : 'application/octet-stream', body: file.bytes }
}

async function perform(pages: Pages, { request, path, isForeign }: PageRequest): Promise<Answer> {
  if (isForeign) return problem('This was sent from another site.', 403)
  const form = await readForm(request)
  return form ? act(pages, path.slice(1), form) : problem('Send a form.', 400)
}

async function readForm(request: IncomingMessage): Promise<FormData | null> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(new Uint8Array(await buffer(request)), { headers }).formData().catch(() => null)
}

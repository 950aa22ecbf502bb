/** The page to chat from: its files, what it shows, and what is done there. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { parseJson } from '../api/arguments.ts'
import type { Context } from '../methods/method.ts'
import type { At, People } from '../people.ts'
import { findById } from '../store.ts'
import { sendJson, sendPage } from './html.ts'
import { viewOf } from './view.ts'

const assets: Readonly<Record<string, string>> = { '/page.js': 'text/javascript', '/page.css': 'text/css' }

const at = { user: z.string(), channel: z.string() }
const act = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('say'),
    ...at,
    text: z.string(),
    thread: z.string().nullish(),
    files: z.array(z.object({ name: z.string(), base64: z.string() })).default([]),
    forwards: z.object({ channel: z.string(), ts: z.string() }).optional(),
    table: z.array(z.array(z.string())).optional(),
  }),
  z.object({ do: z.literal('edit'), ...at, ts: z.string(), text: z.string() }),
  z.object({ do: z.literal('remove'), ...at, ts: z.string() }),
  z.object({ do: z.literal('press'), ...at, ts: z.string(), data: z.string() }),
  z.object({ do: z.enum(['invite', 'expel', 'uninstall']), ...at }),
])

export function createPages(context: Context, people: People, pagesUrl: string) {
  const { store } = context
  const { origin, pathname: base } = new URL(pagesUrl)

  async function run(given: z.infer<typeof act>): Promise<string | null> {
    const place: At = { user: given.user, channel: given.channel }
    if (given.do === 'say' && given.text.startsWith('/')) {
      const answer = await people.command(place, given.text)
      return answer?.status === 200 ? null : `The app did not take the command (${answer?.status ?? 'no answer'}).`
    }
    if (given.do === 'say') {
      const files = given.files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') }))
      const { forwards, table } = given
      people.say(place, given.text, { files, forwards, table, threadTs: given.thread ?? undefined })
    } else if (given.do === 'edit') people.edit(place, given.ts, given.text)
    else if (given.do === 'remove') people.remove(place, given.ts)
    else if (given.do === 'press') {
      const answer = await people.press(place, given.ts, given.data)
      return answer?.status === 200 ? null : `The app did not take the press (${answer?.status ?? 'no answer'}).`
    } else if (given.do === 'uninstall') people.uninstall(findById(store.value.users, given.user)?.teamId ?? '')
    else people[given.do](place)
    return null
  }

  async function perform(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const from = request.headers.origin
    if (from !== undefined && from !== origin)
      return sendJson(response, 403, { problem: 'This was sent from another site.' })
    const found = act.safeParse(parseJson(await text(request)))
    if (!found.success) return sendJson(response, 400, { problem: 'There is no such thing to do.' })
    try {
      sendJson(response, 200, { problem: await run(found.data) })
    } catch (error) {
      sendJson(response, 400, { problem: error instanceof Error ? error.message : 'It failed.' })
    }
  }

  /** Answers true when the request was for the page. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return false
    const path = url.pathname.slice(base.length)
    const file = findById(store.value.files, /^\/file\/(F\w+)$/.exec(path)?.[1] ?? '')
    if (request.method === 'POST' && path === '/act') await perform(request, response)
    else if (request.method !== 'GET') return false
    else if (path === '') sendPage(response, 'Slack emulator', page(base))
    else if (path === '/state')
      sendJson(response, 200, viewOf(store, url.searchParams.get('user') ?? '', url.searchParams.get('channel') ?? ''))
    else if (file?.base64)
      response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
          'x-content-type-options': 'nosniff',
        })
        .end(Buffer.from(file.base64, 'base64'))
    else if (assets[path])
      response
        .writeHead(200, { 'content-type': `${assets[path]}; charset=utf-8`, 'cache-control': 'no-store' })
        .end(readFileSync(join(import.meta.dirname, path)))
    else return false
    return true
  }
}

const page = (
  base: string,
) => `<link rel="stylesheet" href="${base}/page.css"><script type="module" src="${base}/page.js"></script></head>
<body data-base="${base}"><header><label>You are <select id="user"></select></label> <label>in <select id="channel"></select></label>
<span id="place"></span> <button id="membership" type="button"></button> <button id="uninstall" type="button">Uninstall the app</button></header>
<main><ol id="messages" aria-live="polite" aria-label="Messages"></ol><p id="status" role="status"></p></main>
<form id="form"><p id="problem" role="alert"></p><p id="thread" hidden><span></span> <button type="button">Not in a thread</button></p>
<label class="hidden" for="text">Message</label><textarea id="text" rows="2" placeholder="Write a message, or a command such as /help; @app is the app" aria-describedby="hint"></textarea>
<div><input id="files" type="file" multiple aria-label="Files"> <button>Send</button></div><p id="hint">Enter sends, Shift+Enter begins a line.</p></form></body>`

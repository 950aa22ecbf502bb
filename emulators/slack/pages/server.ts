/** The page to chat from: its files, what it shows, and what is done there. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { type PageRequest, pagesAt } from '../../kit/pages.ts'
import { findById } from '../../kit/records.ts'
import { parseJson } from '../api/arguments.ts'
import type { Answer } from '../deliveries.ts'
import type { Context } from '../methods/method.ts'
import type { At, People } from '../people.ts'
import type { Store } from '../store.ts'
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

export const createPages = (context: Context, people: People, pagesUrl: string) =>
  pagesAt(pagesUrl, async (asked, response) => {
    if (asked.method === 'GET') return show(context.store, asked, response)
    if (asked.method !== 'POST' || asked.path !== '/act') return false
    await perform(context.store, people, asked, response)
    return true
  })

/** False for an unknown path. */
function show(store: Store, { base, path, query }: PageRequest, response: ServerResponse): boolean {
  const file = findById(store.value.files, /^\/file\/(F\w+)$/.exec(path)?.[1] ?? '')
  if (path === '') sendPage(response, 'Slack emulator', page(base))
  else if (path === '/state')
    sendJson(response, 200, viewOf(store, query.get('user') ?? '', query.get('channel') ?? ''))
  else if (file?.base64) sendFile(response, file.name, file.base64)
  else if (assets[path])
    response
      .writeHead(200, { 'content-type': `${assets[path]}; charset=utf-8`, 'cache-control': 'no-store' })
      .end(readFileSync(join(import.meta.dirname, path)))
  else return false
  return true
}

const sendFile = (response: ServerResponse, name: string, base64: string) =>
  response
    .writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'x-content-type-options': 'nosniff',
    })
    .end(Buffer.from(base64, 'base64'))

async function perform(
  store: Store,
  people: People,
  { request, isForeign }: PageRequest,
  response: ServerResponse,
): Promise<void> {
  if (isForeign) return sendJson(response, 403, { problem: 'This was sent from another site.' })
  const found = act.safeParse(parseJson(await text(request)))
  if (!found.success) return sendJson(response, 400, { problem: 'There is no such thing to do.' })
  try {
    sendJson(response, 200, { problem: await run(store, people, found.data) })
  } catch (error) {
    sendJson(response, 400, { problem: error instanceof Error ? error.message : 'It failed.' })
  }
}

/** Null, or the problem that the person sees. */
async function run(store: Store, people: People, given: z.infer<typeof act>): Promise<string | null> {
  const { user, channel } = given
  const place: At = { user, channel }
  switch (given.do) {
    case 'say': {
      if (given.text.startsWith('/')) return refusal('command', await people.command(place, given.text))
      const files = given.files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') }))
      const { forwards, table } = given
      people.say(place, given.text, { files, forwards, table, threadTs: given.thread ?? undefined })
      return null
    }
    case 'edit':
      people.edit(place, given.ts, given.text)
      return null
    case 'remove':
      people.remove(place, given.ts)
      return null
    case 'press':
      return refusal('press', await people.press(place, given.ts, given.data))
    case 'uninstall':
      people.uninstall(findById(store.value.users, user)?.teamId ?? '')
      return null
    default:
      people[given.do](place)
      return null
  }
}

const refusal = (what: string, answer: Answer | null): string | null =>
  answer?.status === 200 ? null : `The app did not take the ${what} (${answer?.status ?? 'no answer'}).`

const page = (
  base: string,
) => `<link rel="stylesheet" href="${base}/page.css"><script type="module" src="${base}/page.js"></script></head>
<body data-base="${base}"><header><h1>Slack emulator</h1><label>You are <select id="user"></select></label> <label>in <select id="channel"></select></label>
<span id="place"></span> <button id="membership" type="button"></button> <button id="uninstall" type="button">Uninstall the app</button></header>
<main><ol id="messages" aria-live="polite" aria-label="Messages"></ol><p id="status" role="status"></p></main>
<form id="form"><p id="problem" role="alert"></p><p id="thread" hidden><span></span> <button type="button">Not in a thread</button></p>
<label class="hidden" for="text">Message</label><textarea id="text" rows="2" placeholder="Write a message, or a command such as /help; @app is the app" aria-describedby="hint"></textarea>
<div><input id="files" type="file" multiple aria-label="Files"> <button>Send</button></div><p id="hint">Enter sends, Shift+Enter begins a line.</p></form></body>`

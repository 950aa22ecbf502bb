/** The page from which people chat, and what it asks for. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { type PageRequest, pagesAt } from '../../kit/pages.ts'
import { ApiFailure, bad } from '../errors.ts'
import type { People } from '../people.ts'
import type { World } from '../world.ts'

/** Bytes of what a page sends: a file as large as bots may fetch. */
const MOST_BYTES = 20 * 1024 * 1024
const PING_MS = 15_000

const types: Record<string, string> = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
}
const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

const id = z.int()
const action = z.discriminatedUnion('do', [
  z.object({ do: z.literal('say'), chat: id, person: id, text: z.string().min(1).max(4096), replyTo: id.optional() }),
  z.object({ do: z.literal('edit'), chat: id, message: id, text: z.string().min(1).max(4096) }),
  z.object({ do: z.literal('press'), chat: id, person: id, message: id, data: z.string() }),
  z.object({ do: z.literal('stop'), chat: id }),
  z.object({ do: z.literal('bot'), chat: id, person: id, standing: z.enum(['member', 'administrator', 'kicked']) }),
  z.object({ do: z.literal('remove'), chat: id, message: id }),
  z.object({ do: z.literal('person'), name: z.string().trim().min(1).max(64) }),
  z.object({ do: z.literal('group'), title: z.string().trim().min(1).max(128), owner: id }),
])
const fileQuery = z.object({
  chat: z.coerce.number(),
  person: z.coerce.number(),
  name: z.string().min(1),
  type: z.string(),
  text: z.string().max(1024),
  album: z.string().min(1).max(100).optional(),
})

interface Pages {
  world: World
  people: People
  pagesUrl: string
  /** Called after every change. */
  watchers: Set<() => void>
}

export const createPages = (pages: Pages) =>
  pagesAt(pages.pagesUrl, async (asked, response) => {
    try {
      if (asked.method === 'POST') json(response, 200, await post(pages, asked))
      else get(pages, asked, response)
    } catch (error) {
      const status = error instanceof ApiFailure ? error.status : 400
      json(response, status, { error: error instanceof Error ? error.message : String(error) })
    }
    return true
  })

async function post({ world, people }: Pages, { request, path, query, isForeign }: PageRequest): Promise<object> {
  if (isForeign) throw new ApiFailure(403, 'this was sent from another site')
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) throw new ApiFailure(413, 'the file is too large')
  const body = await buffer(request)
  if (path === '/do') return act(world, people, action.parse(JSON.parse(body.toString('utf8'))))
  if (path !== '/file') throw bad('nothing is sent there')
  const { chat, person, name, type, text, album } = fileQuery.parse(Object.fromEntries(query))
  const file = { name, type: type || 'application/octet-stream', content: new Uint8Array(body) }
  return people.say(chat, person, { file, ...(text && { text }), ...(album && { album }) })
}

async function act(world: World, people: People, asked: z.infer<typeof action>): Promise<object> {
  switch (asked.do) {
    case 'say':
      return people.say(asked.chat, asked.person, asked)
    case 'edit':
      people.edit(asked.chat, asked.message, asked.text)
      return {}
    case 'press':
      return { answer: (await people.press(asked.chat, asked.person, asked.message, asked.data)) ?? null }
    case 'stop':
      people.stop(asked.chat)
      return {}
    case 'bot':
      people.setBot(asked.chat, asked.person, asked.standing)
      return {}
    case 'remove':
      people.remove(asked.chat, asked.message)
      return {}
    case 'person':
      return world.addPerson(asked.name)
    case 'group':
      return { id: world.addGroup(asked.title, asked.owner).id }
  }
}

function get({ world, watchers }: Pages, { path: encoded, base }: PageRequest, response: ServerResponse): void {
  const path = decodeURI(encoded)
  if (path === '/events') watch(watchers, response)
  else if (path === '/state') json(response, 200, stateOf(world))
  else if (path.startsWith('/file/')) sendFile(response, world.file({ path: path.slice('/file/'.length) }))
  else sendPart(response, path === '' || path === '/' ? 'page.html' : path.slice(1), base)
}

/** Says when there is something new. */
function watch(watchers: Pages['watchers'], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const tell = () => response.write('data: new\n\n')
  const ping = setInterval(() => response.write(': still here\n'), PING_MS).unref()
  watchers.add(tell)
  tell()
  response.on('close', () => {
    clearInterval(ping)
    watchers.delete(tell)
  })
}

/** All there is, as the page shows it. */
function stateOf(world: World) {
  const chats = world.state.chats.map((chat) => {
    const { draft, typingUntil = 0 } = world.passing(chat)
    return {
      ...world.shownChat(chat),
      standing: chat.standing,
      messages: chat.messages,
      draft: draft ?? null,
      typing: typingUntil > Date.now(),
    }
  })
  return { bot: world.bot, people: world.state.people, chats }
}

/** A part of the page, which consists of three files next to this one. */
function sendPart(response: ServerResponse, name: string, base: string): void {
  const type = types[name]
  if (!type) throw new ApiFailure(404, 'there is no such page')
  const text = readFileSync(join(import.meta.dirname, name), 'utf8')
  response
    .writeHead(200, { ...headers, 'content-type': type })
    .end(text.replaceAll('href="./', `href="${base}/`).replaceAll('src="./', `src="${base}/`))
}

function sendFile(response: ServerResponse, found: ReturnType<World['file']>): void {
  if (!found) throw new ApiFailure(404, 'there is no such file')
  const { file_name, mime_type } = found.file
  const shown = images.includes(mime_type)
  const name = encodeURIComponent(file_name)
  response.writeHead(200, {
    ...headers,
    'content-type': shown ? mime_type : 'application/octet-stream',
    'content-disposition': `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
  })
  response.end(found.content)
}

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': policy,
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The API below `/api/v10`, and the files below `/attachments`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { hasHalfCharacter } from '../../kit/text.ts'
import { newId } from '../ids.ts'
import type { Attachment } from '../records.ts'
import { aboutRoutes } from './about.ts'
import { ApiError, invalidForm, unauthorized, unknownRoute } from './errors.ts'
import { messageRoutes } from './messages.ts'
import { RateLimits } from './rate-limits.ts'
import type { ApiRequest, Discord, Route } from './route.ts'
import { webhookRoutes } from './webhooks.ts'

const patterns = [...messageRoutes, ...webhookRoutes, ...aboutRoutes].map((route) => ({
  route,
  pattern: new RegExp(`^/api/v(?:9|10)${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

export const routes = patterns.map(({ route: { method, path } }) => `${method} /api/v10${path}`)

/** Parts of a path that have limits of their own. */
const majors = ['channel', 'guild', 'application', 'token']

/** @param log a line for each request: method, route and status */
export function createApi(discord: Discord, log: (line: string) => void) {
  const limits = new RateLimits()

  async function answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const found = patterns.find(({ route, pattern }) => route.method === request.method && pattern.test(url.pathname))
    const send = (status: number, headers: Record<string, string>, body: object | null) => {
      if (discord.faults.droppedAnswers > 0 && status < 300) {
        discord.faults.droppedAnswers -= 1
        response.destroy()
        return
      }
      log(`${request.method} ${found?.route.path ?? url.pathname} ${status}`)
      const type = body === null ? {} : { 'content-type': 'application/json' }
      response
        .writeHead(body === null ? 204 : status, { ...headers, ...type })
        .end(body === null ? '' : JSON.stringify(body))
    }
    // An unread request body blocks the connection's next request.
    const bytes = await buffer(request)
    let headers: Record<string, string> = {}
    try {
      if (discord.faults.downUntilMs > Date.now())
        return send(503, {}, { message: '503: Service Unavailable', code: 0 })
      if (!found) throw unknownRoute()
      const path = { ...found.pattern.exec(url.pathname)?.groups }
      if (found.route.asBot && request.headers.authorization !== `Bot ${discord.application.botToken}`)
        throw unauthorized()
      const limited = limitedBy(found.route, path)
      headers = limited.headers
      if (limited.retryAfter !== null)
        return send(429, { ...headers, 'retry-after': String(Math.ceil(limited.retryAfter)) }, tooMany(limited))
      const input = await readRequest(request, bytes)
      send(200, headers, await found.route.run(discord, { path, query: url.searchParams, ...input }))
    } catch (error) {
      if (!(error instanceof ApiError)) log(`${request.method} ${url.pathname} failed: ${error}`)
      const problem = error instanceof ApiError ? error : new ApiError(500, 0, '500: Internal Server Error')
      send(problem.status, headers, problem.body)
    }
  }

  function limitedBy({ method, path: pattern, limit, asBot }: Route, path: Record<string, string>) {
    const { rateLimited } = discord.faults
    if (rateLimited.requests > 0) {
      rateLimited.requests -= 1
      return { headers: { 'x-ratelimit-scope': 'user' }, retryAfter: rateLimited.retryAfter, global: false }
    }
    const major = majors.flatMap((name) => path[name] ?? []).join('/')
    return limits.take(`${method} ${pattern} ${major}`, limit, asBot)
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://discord')
    if (!url.pathname.startsWith('/attachments/')) return answer(request, response, url)
    const file = discord.account.attachments.get(url.pathname.split('/')[3] ?? '')
    if (!file || request.method !== 'GET')
      return void response.writeHead(404).end('This content is no longer available.')
    response.writeHead(200, { 'content-type': file.content_type, 'content-length': file.bytes.length }).end(file.bytes)
  }
}

const tooMany = ({ retryAfter, global }: { retryAfter: number | null; global: boolean }) => ({
  message: 'You are being rate limited.',
  retry_after: retryAfter,
  global,
})

/** @throws ApiError 50035 for what is neither JSON nor a form */
async function readRequest(
  { headers, method }: IncomingMessage,
  bytes: Buffer,
): Promise<Pick<ApiRequest, 'body' | 'files'>> {
  const type = headers['content-type'] ?? ''
  if (method === 'GET' || (bytes.length === 0 && type === '')) return { body: {}, files: [] }
  if (type.startsWith('application/json')) return { body: readJson(bytes.toString()), files: [] }
  if (!type.startsWith('multipart/form-data')) throw wrongType()
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData().catch(() => {
    throw wrongType()
  })
  const files: Attachment[] = []
  for (const [name, value] of form)
    if (typeof value !== 'string' && /^files\[\d+\]$/.test(name)) files.push(await attachmentOf(value))
  const payload = form.get('payload_json')
  return { body: typeof payload === 'string' ? readJson(payload) : {}, files }
}

export const attachmentOf = async (file: File): Promise<Attachment> => ({
  id: newId(),
  filename: file.name,
  content_type: file.type || 'application/octet-stream',
  bytes: Buffer.from(await file.arrayBuffer()),
})

const wrongType = () =>
  invalidForm(
    'content-type',
    'CONTENT_TYPE_INVALID',
    'Expected "Content-Type" header to be one of application/json, multipart/form-data.',
  )

function readJson(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text)
    if (hasHalfCharacter(json)) throw new TypeError('half a character')
    if (Array.isArray(json)) return { list: json }
    if (typeof json === 'object' && json !== null) return json as Record<string, unknown> // safe because it is an object
  } catch {}
  throw new ApiError(400, 50_109, 'The request body contains invalid JSON.')
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline as pipe } from 'node:stream/promises'
import type { Area } from '../../lambdas/kit/area.ts'
import type { AuthPorts } from '../../lambdas/kit/authenticate.ts'
import { pipeline } from '../../lambdas/kit/pipeline.ts'
import type { HttpRequest, HttpResponse } from '../../lambdas/kit/request.ts'

/** The pipeline of an area behind a plain Node server, for measuring it without API Gateway and Lambda. */
export function nodeServer(area: Area, deps: AuthPorts): Server {
  const handle = pipeline(area, deps)
  return createServer(async (request, response) => {
    await write(await handle(await toRequest(request)), response)
  })
}

async function toRequest(request: IncomingMessage): Promise<HttpRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const path = pathname.replace(/^\/api(?=\/)/, '')
  return {
    id: crypto.randomUUID(),
    ip: request.socket.remoteAddress ?? '',
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>, // safe because Node joins what came twice, but for Set-Cookie
    target: path,
    route: path,
    parameters: {},
    query: Object.fromEntries(searchParams),
    body: await text(request),
  }
}

/** A client that leaves ends what it was sent; what is still to be done for it is done all the same. */
async function write({ status, headers, body, done }: HttpResponse, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers)
  if (typeof body === 'string') response.end(body)
  else await pipe(body instanceof Readable ? body : Readable.fromWeb(body as never), response).catch(() => {}) // safe because Node has one ReadableStream
  await done
}

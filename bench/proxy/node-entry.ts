import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline as pipe } from 'node:stream/promises'
import type { Area } from '../../lambdas/kit/area.ts'
import type { AuthPorts } from '../../lambdas/kit/authenticate.ts'
import { pipeline } from '../../lambdas/kit/pipeline.ts'
import type { HttpRequest, HttpResponse } from '../../lambdas/kit/request.ts'

/** The pipeline of an area behind a plain Node server, for measuring it without API Gateway and Lambda. */
export function nodeServer(area: Area, deps: AuthPorts): Server {
  const handle = pipeline(area, deps)
  return createServer(async (request, response) => {
    // No variable here keeps the body while the response is written.
    await write(await handle(toRequest(request, await textOf(request))), response)
  })
}

/** The body, which the gateway reads completely before it calls a function. */
const textOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.once('end', () => {
      resolve(Buffer.concat(parts).toString())
      // Releases the request's listeners, which would keep the body in memory.
      request.removeAllListeners('data')
    })
  })

function toRequest(request: IncomingMessage, body: string): HttpRequest {
  const [address = '', query = ''] = (request.url ?? '/').split('?', 2)
  const path = address.replace(/^\/api(?=\/)/, '')
  return {
    id: crypto.randomUUID(),
    ip: request.socket.remoteAddress ?? '',
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>, // safe because Node joins repeated headers, except Set-Cookie
    target: path,
    route: path,
    parameters: {},
    query: Object.fromEntries(new URLSearchParams(query)),
    body,
  }
}

/** A client that disconnects ends its stream; the remaining work is done all the same. */
async function write({ status, headers, body }: HttpResponse, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers)
  if (typeof body === 'string') response.end(body)
  else if (typeof body === 'function') await body(response).catch((error) => void response.destroy(error))
  else await pipe(body instanceof Readable ? body : Readable.fromWeb(body as never), response).catch(() => {}) // safe because Node has one ReadableStream
}

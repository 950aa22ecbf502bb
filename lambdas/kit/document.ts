import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { HttpRequest, HttpResponse } from './request.ts'

interface Made {
  text: string
  zipped: Buffer
  etag: string
}

/** Keyed by the answer object, which a function instance reuses. */
const made = new WeakMap<object, Made>()

function make(output: object): Made {
  const text = JSON.stringify(output)
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  return { text, zipped: gzipSync(text), etag }
}

/** An answer that changes only with a deployment: has an ETag, and is compressed for clients that accept that. */
export function asDocument(
  { headers }: HttpRequest,
  output: unknown,
): Pick<HttpResponse, 'status' | 'headers' | 'body'> {
  const answer = output as object // safe because an operation's output is an object
  const known = made.get(answer) ?? make(answer)
  made.set(answer, known)
  const { text, zipped, etag } = known
  const cacheHeaders = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' }
  const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  if (tags.includes(etag) || tags.includes(etag.slice(2)) || tags.includes('*'))
    return { status: 304, headers: cacheHeaders, body: '' }
  const json = { ...cacheHeaders, 'Content-Type': 'application/json' }
  if (!/(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? ''))
    return { status: 200, headers: json, body: text }
  return { status: 200, headers: { ...json, 'Content-Encoding': 'gzip' }, body: Readable.from([zipped]) }
}

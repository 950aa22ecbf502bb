/** Bodies as API Gateway and CloudFront send them to whoever takes gzip. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** What CloudFront compresses of a bucket's files, and of which sizes, bytes. */
const compressible = /^(text\/|application\/(javascript|json|manifest\+json|xml)|image\/svg\+xml)/
export const leastFileBytes = 1_000
const mostFileBytes = 10_000_000

/** Ends a response with a whole body. @param leastBytes below which it is sent as it is; null where nothing is compressed */
export function endWith(response: ServerResponse, body: Buffer, leastBytes: number | null): void {
  const takesGzip = /\bgzip\b/.test(String(response.req.headers['accept-encoding'] ?? ''))
  const compress =
    leastBytes !== null && body.length >= leastBytes && takesGzip && !response.hasHeader('content-encoding')
  if (compress) response.setHeader('content-encoding', 'gzip')
  const sent = compress ? gzipSync(body) : body
  if (sent.length > 0) response.setHeader('content-length', sent.length)
  response.end(response.req.method === 'HEAD' ? undefined : sent)
}

export const isCompressible = (type: string, bytes: number): boolean =>
  compressible.test(type) && bytes <= mostFileBytes

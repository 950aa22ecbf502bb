/** Gzip compression like API Gateway's and CloudFront's. */
import type { ServerResponse } from 'node:http'
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib'

/** Types and minimum size in bytes of files that CloudFront compresses. */
const compressible = /^(text\/|application\/(javascript|json|manifest\+json|xml)|image\/svg\+xml)/
export const leastFileBytes = 1_000
const mostFileBytes = 10_000_000

/** @param leastBytes the minimum size for compression; null for none */
export function endWith(response: ServerResponse, body: Buffer, leastBytes: number | null): void {
  const takesGzip = /\bgzip\b/.test(String(response.req.headers['accept-encoding'] ?? ''))
  const compress =
    leastBytes !== null && body.length >= leastBytes && takesGzip && !response.hasHeader('content-encoding')
  if (compress) response.setHeader('content-encoding', 'gzip')
  const sent = compress ? gzipSync(body) : body
  if (sent.length > 0) response.setHeader('content-length', sent.length)
  response.end(response.req.method === 'HEAD' ? undefined : sent)
}

const decoders: Readonly<Record<string, typeof gunzipSync>> = { gzip: gunzipSync, deflate: inflateSync }

/**
 * Decodes a request's body like API Gateway: both codings that it supports, whatever the API compresses. Undefined if
 * the result exceeds `mostBytes`.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 */
export function decodeBody(
  sent: Buffer,
  coding = 'identity',
  mostBytes = Number.POSITIVE_INFINITY,
): Buffer | 'undecodable' | undefined {
  const name = coding.trim().toLowerCase()
  if (name === 'identity' || name === '') return sent
  const decode = decoders[name]
  if (!decode) return 'undecodable'
  try {
    return decode(sent, { maxOutputLength: mostBytes })
  } catch (error) {
    return error instanceof RangeError ? undefined : 'undecodable'
  }
}

export const isCompressible = (type: string, bytes: number): boolean =>
  compressible.test(type) && bytes <= mostFileBytes

/** Serves the built dashboard like CloudFront and its bucket; the template's function maps paths to files. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, resolve, sep } from 'node:path'
import { runInNewContext } from 'node:vm'
import { asObject, asText, type JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'
import { endWith, isCompressible, leastFileBytes } from './compress.ts'
import { errorResponse, type PlainResponse } from './gateway-response.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** The file of a request, or the answer of CloudFront's function if there is none. */
export type Edge = (request: EdgeRequest) => { file: string } | PlainResponse

type EdgeRequest = Pick<IncomingMessage, 'method'> & { path: string; accept?: string | undefined }

/** @param errorStatus if the file is an error page, which is answered to any method */
export type StaticHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  errorStatus?: number,
) => void | Promise<void>

/** Reads `folder` at each request, so that a rebuilt dashboard needs no restart. */
export const createStaticHandler =
  (folder: string, securityHeaders: Record<string, string>, edge: Edge): StaticHandler =>
  (request, response, path, errorStatus) => {
    const { method, headers: sent } = request
    const isRead = method === 'GET' || method === 'HEAD' || errorStatus !== undefined
    const answer = edge({ method, path, accept: sent.accept })
    const file = isRead && 'file' in answer ? fileFor(folder, answer.file) : undefined
    if (!file) {
      // The bucket has no page for a missing file.
      const missing = 'file' in answer ? errorResponse(404, 'not-found', 'Nothing is served at this address.') : answer
      response.writeHead(missing.status, missing.headers).end(method === 'HEAD' ? undefined : missing.body)
      return
    }
    const content = readFileSync(file)
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    const headers = {
      ...securityHeaders,
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'cache-control': file.includes(`${sep}assets${sep}`) ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
    }
    if (errorStatus === undefined && request.headers['if-none-match']?.includes(etag)) {
      response.writeHead(304, headers).end()
      return
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    endWith(response, content, isCompressible(headers['content-type'], content.length) ? leastFileBytes : null)
  }

/** Undefined if the path leads outside of the folder or to no file. */
function fileFor(folder: string, path: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return undefined
  }
  const file = resolve(folder, `.${decoded}`)
  if (decoded.includes('\0') || !file.startsWith(folder + sep)) return undefined
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

export function pagesFunction(template: Template): Edge {
  const pages = template.ofType('AWS::CloudFront::Function').find(({ logicalId }) => logicalId.includes('Pages'))
  const code = asText(pages?.properties.FunctionCode)
  if (!code) throw new Error('The template has no function for the pages of the dashboard')
  return ({ method = 'GET', path, accept }) => {
    const request = { method, uri: path, headers: accept === undefined ? {} : { accept: { value: accept } } }
    const result = asObject(runInNewContext(`${code}; handler(event)`, { event: { request } }))
    if (!('statusCode' in result)) return { file: asText(result.uri) }
    const headers = Object.entries(asObject(result.headers)).map(([name, value]) => [
      name,
      asText(asObject(value).value),
    ])
    return { status: Number(result.statusCode), headers: Object.fromEntries(headers), body: asText(result.body) }
  }
}

/**
 * The headers of the template's ResponseHeadersPolicy, without those that would pin this host to HTTPS.
 * @param objects local address of the template's buckets
 */
export function securityHeaders(template: Template, objects: string): Record<string, string> {
  const config = template
    .ofType('AWS::CloudFront::ResponseHeadersPolicy')
    .map(({ properties }) => asObject(properties.ResponseHeadersPolicyConfig))
    .find(({ SecurityHeadersConfig }) => SecurityHeadersConfig !== undefined)
  const security = asObject(config?.SecurityHeadersConfig)
  const headers: Record<string, string> = {}
  const add = (name: string, from: JsonObject, value: string) => {
    if (Object.keys(from).length > 0) headers[name] = value
  }
  const csp = asObject(security.ContentSecurityPolicy)
  const frame = asObject(security.FrameOptions)
  const referrer = asObject(security.ReferrerPolicy)
  const policy = asText(csp.ContentSecurityPolicy)
    .replace(/;?\s*upgrade-insecure-requests/, '')
    .replace(/https:\/\/[\w-]+\.s3\.[\w-]+\.amazonaws\.com/g, objects)
  add('content-security-policy', csp, policy)
  add('x-content-type-options', asObject(security.ContentTypeOptions), 'nosniff')
  add('x-frame-options', frame, asText(frame.FrameOption))
  add('referrer-policy', referrer, asText(referrer.ReferrerPolicy))
  const custom = asObject(config?.CustomHeadersConfig).Items
  for (const item of Array.isArray(custom) ? custom : []) {
    const { Header, Value } = asObject(item)
    headers[asText(Header).toLowerCase()] = asText(Value)
  }
  return headers
}

/** Serves the built dashboard as CloudFront and its bucket do: the template's function says what a path stands for. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, resolve, sep } from 'node:path'
import { runInNewContext } from 'node:vm'
import { endWith, isCompressible, leastFileBytes } from './compress.ts'
import { errorResponse } from './gateway-response.ts'
import type { JsonObject } from './json.ts'
import { asObject, asText } from './json.ts'
import type { Template } from './template.ts'

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

/** The file that a path stands for; null when CloudFront's function answers that there is none. */
export type Edge = (path: string) => string | null

/** @param errorStatus where the file is the page of an error, which is answered whatever the method is */
export type StaticHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  errorStatus?: number,
) => void

/** `folder` is read at each request, so a rebuilt dashboard appears without a restart. */
export function createStaticHandler(
  folder: string,
  securityHeaders: Record<string, string>,
  edge: Edge,
): StaticHandler {
  return (request, response, path, errorStatus) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD' || errorStatus !== undefined
    const named = isRead ? edge(path) : null
    const file = named === null ? undefined : fileFor(folder, named)
    if (!file) {
      const { status, headers, body } = errorResponse(404, 'not-found', 'Nothing is served at this address.')
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body)
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
}

/** The file a path names, if it is one and lies in the folder. */
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

/** The template's function that CloudFront runs before it looks for a page. */
export function pagesFunction(template: Template): Edge {
  const found = template.ofType('AWS::CloudFront::Function').find(({ logicalId }) => logicalId.includes('Pages'))
  const code = asText(found?.properties.FunctionCode)
  if (!code) throw new Error('The template has no function for the pages of the dashboard')
  return (uri) => {
    const result = asObject(runInNewContext(`${code}; handler(event)`, { event: { request: { uri } } }))
    return 'statusCode' in result ? null : asText(result.uri)
  }
}

/**
 * The headers that the template's ResponseHeadersPolicy adds to every page, except those that would pin this host to
 * HTTPS.
 * @param objects where the buckets of the template are here
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

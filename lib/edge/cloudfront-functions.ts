import { pagePaths, rootFiles } from '../../domain/dashboard-pages.ts'
import { docsFile, docsPages } from '../../domain/docs-pages.ts'
import { DomainError } from '../../domain/errors.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { toErrorBody } from '../../lambdas/kit/errors.ts'

const nothing = new DomainError(
  'not-found',
  'Nothing is served at this address. The API is at /api; /docs describes it, and /openapi.json lists its operations.',
)

const notFoundPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found · Berth</title>
<script src="/appearance.js"></script>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/not-found.css">
<main>
<h1>There is no page at this address</h1>
<p>Check the address for a typing mistake, or go on from here:</p>
<ul>
<li><a href="/">Your agent</a></li>
<li><a href="/docs">Documentation of the API</a></li>
</ul>
</main>
</html>
`

const files: Record<string, string> = {
  ...Object.fromEntries(pagePaths.map((path) => [path, '/index.html'])),
  ...Object.fromEntries(docsPages.map((page) => [page, docsFile(page)])),
  ...Object.fromEntries(rootFiles.map((name) => [`/${name}`, `/${name}`])),
}

/**
 * The origin of the dashboard's pages: files as they are, 404 for everything else. A browser that opens a wrong address
 * gets a page. Programs get JSON, and so does everybody below the addresses of the API.
 */
export const rewriteToIndex = `var files = ${JSON.stringify(files)}
function handler(event) {
  var request = event.request
  var path = request.uri.replace(/(.)\\/$/, '$1')
  if (Object.prototype.hasOwnProperty.call(files, path)) request.uri = files[path]
  else if (!/^\\/assets\\/[\\w-][\\w.-]*\\.\\w+$/.test(path)) return notFound(request, path)
  return request
}
function notFound(request, path) {
  var accept = request.headers.accept
  var isPage =
    (request.method === 'GET' || request.method === 'HEAD') &&
    !/^\\/(api|v1|register|\\.well-known)(\\/|$)/.test(path) &&
    accept && /(^|[\\s,])text\\/html(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))/i.test(accept.value)
  var headers = {
    'cache-control': { value: 'no-store' },
    'content-type': { value: isPage ? 'text/html; charset=utf-8' : 'application/json' },
    'x-content-type-options': { value: 'nosniff' }
  }
  if (isPage) headers['content-security-policy'] = { value: "default-src 'self'; base-uri 'none'; frame-ancestors 'none'" }
  return {
    statusCode: 404,
    statusDescription: 'Not Found',
    headers: headers,
    body: isPage ? ${JSON.stringify(notFoundPage)} : ${JSON.stringify(JSON.stringify(toErrorBody(nothing)))}
  }
}
`

/** Overwrites these headers, because a viewer may have sent them. API Gateway passes no Content-Length to functions. */
export const setViewerHeaders = `function handler(event) {
  var request = event.request
  var length = request.headers['content-length']
  request.headers['${edgeHeaders.viewer}'] = { value: event.viewer.ip }
  delete request.headers['${edgeHeaders.length}']
  if (length) request.headers['${edgeHeaders.length}'] = { value: length.value }
  return request
}
`

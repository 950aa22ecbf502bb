import { pagePaths } from '../../domain/dashboard-pages.ts'
import { DomainError } from '../../domain/errors.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { toErrorBody } from '../../lambdas/kit/errors.ts'

const nothing = new DomainError(
  'not-found',
  'Nothing is served at this address. The API is at /api, see /api/openapi.json.',
)

/** The origin of the dashboard's pages: files as they are, 404 for everything else. */
export const rewriteToIndex = `var pages = ${JSON.stringify(pagePaths)}
function handler(event) {
  var request = event.request
  if (pages.indexOf(request.uri.replace(/(.)\\/$/, '$1')) >= 0) request.uri = '/index.html'
  else if (!/^\\/(assets\\/)?[\\w-][\\w.-]*\\.\\w+$/.test(request.uri)) return {
    statusCode: 404,
    statusDescription: 'Not Found',
    headers: { 'content-type': { value: 'application/json' }, 'cache-control': { value: 'no-store' } },
    body: '${JSON.stringify(toErrorBody(nothing))}'
  }
  return request
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

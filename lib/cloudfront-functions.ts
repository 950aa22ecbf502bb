import { edgeHeaders } from '../lambdas/kit/client-address.ts'

/** Any path that is not a file is a page of the dashboard. Not by an error response for 404: the API's own must stay JSON. */
export const rewriteToIndex = `function handler(event) {
  var request = event.request
  if (!/\\.[^/]+$/.test(request.uri)) request.uri = '/index.html'
  return request
}
`

/** Overwrites what a viewer may have sent under this name. */
export const setViewerAddress = `function handler(event) {
  var request = event.request
  request.headers['${edgeHeaders.viewer}'] = { value: event.viewer.ip }
  return request
}
`

import { edgeHeaders } from '../domain/resources.ts'

/** Any path that is not a file is a page of the dashboard. A 404 is left alone, for the API's own must stay JSON. */
export const wholePages = `function handler(event) {
  var request = event.request
  if (!/\\.[^/]+$/.test(request.uri)) request.uri = '/index.html'
  return request
}
`

/** Overwrites what a viewer may have sent under this name. */
export const viewerAddress = `function handler(event) {
  var request = event.request
  request.headers['${edgeHeaders.viewer}'] = { value: event.viewer.ip }
  return request
}
`

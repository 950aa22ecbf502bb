import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request for one of an emulator's pages. */
export interface PageRequest {
  request: IncomingMessage
  method: string
  /** The path of the pages' address, without a slash at the end. */
  base: string
  /** The rest of the path: `/state`; empty for the address itself. */
  path: string
  query: URLSearchParams
  /** A page of another site sent it. */
  isForeign: boolean
}

/** Passes on the requests below `pagesUrl`; the handler's result is false for all other requests. */
export function pagesAt(
  pagesUrl: string,
  serve: (asked: PageRequest, response: ServerResponse) => Promise<boolean>,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const { origin, pathname } = new URL(pagesUrl)
  const base = pathname.replace(/\/$/, '')
  return async (request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const { pathname, searchParams: query } = new URL(url, origin)
    if (pathname !== base && !pathname.startsWith(`${base}/`)) return false
    const isForeign = headers.origin !== undefined && headers.origin !== origin
    return serve({ request, method, base, path: pathname.slice(base.length), query, isForeign }, response)
  }
}

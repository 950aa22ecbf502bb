/** The dashboard's sources, served by Vite on the service's own port, so that cookies and origins are the same. */
import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { sendPlain } from '../gateway/gateway.ts'
import { errorResponse } from '../gateway/gateway-response.ts'
import type { Edge, StaticHandler } from '../gateway/static-handler.ts'
import { dashboardReads } from '../start/builds.ts'

interface DevPages {
  vite: ViteDevServer
  pages(headers: Record<string, string>, edge: Edge): StaticHandler
}

/** @param server carries the WebSocket for reloads of pages */
export async function startPages(repo: string, server: Server): Promise<DevPages> {
  // Only Vite's additions to a page carry this nonce; the policy stays strict for everything else.
  const nonce = randomBytes(16).toString('base64url')
  const vite = await createServer({
    root: join(repo, 'dashboard'),
    cacheDir: join(repo, '.berth', 'vite'),
    appType: 'spa',
    logLevel: 'warn',
    clearScreen: false,
    html: { cspNonce: nonce },
    server: {
      middlewareMode: true,
      hmr: { server },
      cors: false,
      fs: { allow: [...dashboardReads, 'node_modules', '.berth/vite'].map((name) => real(join(repo, name))) },
    },
  })
  const pages = (headers: Record<string, string>, edge: Edge): StaticHandler => {
    const policy = headers['content-security-policy']
    const all = {
      ...headers,
      ...(policy && {
        'content-security-policy': `${policy}; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'`,
      }),
    }
    return (request, response, path) => {
      // Vite's own paths have an extension or begin with @.
      const answer = edge({ method: request.method, path, accept: request.headers.accept })
      if (!('file' in answer) && !/^\/@|\.\w+$/.test(path)) return sendPlain(response, answer)
      for (const [name, value] of Object.entries(all)) response.setHeader(name, value)
      vite.middlewares(request, response, () => sendPlain(response, errorResponse(404, 'not-found')))
    }
  }
  return { vite, pages }
}

/** Resolves links such as `node_modules`; a missing folder stays as it is. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

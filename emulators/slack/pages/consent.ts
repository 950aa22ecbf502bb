/** `/oauth/v2/authorize`: where a person gives the app to a workspace. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findById } from '../../kit/records.ts'
import { escapeHtml } from '../../kit/text.ts'
import type { Context } from '../methods/method.ts'
import type { People } from '../people.ts'
import { sendPage } from './html.ts'

export function createConsentPage({ store, app }: Context, people: People) {
  /** Answers true when the request was for this page. */
  return async (request: IncomingMessage, response: ServerResponse, body: () => Promise<Buffer>): Promise<boolean> => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== '/oauth/v2/authorize') return false
    const { redirect_uri: redirectUri = '', state = '', client_id: clientId } = Object.fromEntries(url.searchParams)
    const back = URL.parse(redirectUri)
    if (clientId !== app.clientId || !back || !/^https?:$/.test(back.protocol)) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('invalid client_id or redirect_uri')
      return true
    }
    if (request.method !== 'POST') {
      sendPage(
        response,
        'Add to a workspace',
        form(Object.values(store.value.users), store.value.teams),
        `'self' ${back.origin}`,
      )
      return true
    }
    const user = findById(store.value.users, new URLSearchParams((await body()).toString('utf8')).get('user') ?? '')
    if (user) back.searchParams.set('code', people.allow(user.teamId, user.id, redirectUri))
    else back.searchParams.set('error', 'access_denied')
    back.searchParams.set('state', state)
    response.writeHead(302, { location: back.href }).end()
    return true
  }
}

function form(
  users: { id: string; name: string; teamId: string; isBot: boolean }[],
  teams: Record<string, { name: string }>,
) {
  const choice = users
    .filter(({ isBot }) => !isBot)
    .map(
      ({ id, name, teamId }, i) =>
        `<p><label><input type="radio" name="user" value="${escapeHtml(id)}"${i === 0 ? ' checked' : ''}> ${escapeHtml(teams[teamId]?.name ?? teamId)}, as ${escapeHtml(name)}</label></p>`,
    )
    .join('')
  const style =
    ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin-right:.5rem}'
  return `<style>${style}</style></head><body><main><h1>Give the app to a workspace</h1><p>It will read messages that name it, and write there.</p><form method="post">${choice}<button>Allow</button></form><form method="post"><button>Cancel</button></form></main></body>`
}

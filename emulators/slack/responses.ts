/** Where the app answers a command: five times within half an hour. */
import { findById } from '../kit/records.ts'
import { type Arguments, parseJson } from './api/arguments.ts'
import { SlackError } from './api/error.ts'
import { readContent } from './content.ts'
import type { Context } from './methods/method.ts'
import { post } from './methods/posted.ts'
import { findMessage, secret } from './store.ts'

const lifeMs = 30 * 60_000
const mostUses = 5

export function makeResponseUrl({ store, origin }: Context, teamId: string, channel: string, user: string): string {
  const id = secret()
  store.value.responseUrls[id] = { teamId, channel, user, uses: 0, untilMs: store.now() + lifeMs, last: null }
  store.save()
  return `${origin()}/commands/${teamId}/${id}`
}

/** Answers the status and body of a request to such an address; null for another address. */
export function answerAt(context: Context, path: string, json: string): { status: number; body: string } | null {
  const id = /^\/commands\/T\w+\/([\w-]+)$/.exec(path)?.[1]
  if (!id) return null
  const { store, events } = context
  const found = findById(store.value.responseUrls, id)
  const team = found && findById(store.value.teams, found.teamId)
  if (!found || !team || found.untilMs < store.now()) return { status: 404, body: 'expired_url' }
  if (found.uses >= mostUses) return { status: 404, body: 'used_url' }
  const given = parseJson(json)
  if (typeof given !== 'object' || given === null) return { status: 400, body: 'invalid_payload' }
  try {
    const told = { ...given } as Arguments // safe because it is an object
    const content = readContent(told)
    found.uses += 1
    const before =
      found.last && told.replace_original === true ? findMessage(store, found.channel, found.last) : undefined
    if (before) {
      Object.assign(before, content)
      store.save()
    } else {
      const onlyFor = told.response_type === 'in_channel' ? null : found.user
      found.last = post({ ...context, events }, team, {
        ...content,
        channel: found.channel,
        threadTs: null,
        onlyFor,
      }).ts
    }
    return { status: 200, body: 'ok' }
  } catch (error) {
    if (error instanceof SlackError) return { status: 400, body: error.code }
    throw error
  }
}

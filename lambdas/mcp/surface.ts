import { follow } from '../../domain/chat/follow.ts'
import { forbidden } from '../../domain/errors.ts'
import { idPattern } from '../../domain/ids.ts'
import { type Change, changeOf } from '../../domain/mcp/changes.ts'
import { type Spelling, spellingFor } from '../../domain/mcp/names.ts'
import { prompts } from '../../domain/mcp/prompts.ts'
import type { Surface } from '../../domain/mcp/surface.ts'
import type { Scope } from '../../domain/scopes.ts'
import { type Caller, may } from './caller.ts'
import { type Message, readMessage } from './message.ts'
import { resourcesFor, scopeOf, templates } from './resources.ts'
import { toolNamed, toolsFor } from './tools.ts'

/** What this caller may see and do. @throws forbidden when the request asks for more than its scopes cover */
export function surfaceFor(caller: Caller, asked: Spelling | undefined): Surface {
  const message = readMessage(caller.request.rawBody)
  const missing = neededBy(message).find((scope) => !may(caller.actor, scope))
  if (missing) throw forbidden(`This token lacks the scope ${missing}. Mint a token that has it.`)
  return {
    spelling: spellingFor(asked, [caller.request.headers['user-agent'], message.clientName]),
    tools: toolsFor(caller),
    resources: () => resourcesFor(caller),
    templates: templates.filter(({ uriTemplate }) => may(caller.actor, scopeOf(uriTemplate) ?? undefined)),
    prompts: prompts.filter(({ needs }) => needs.every((scope) => may(caller.actor, scope))),
    failed: caller.failed,
    changes: (over?: AbortSignal) => changesFor(caller, over),
  }
}

function neededBy({ method, name, uri }: Message): readonly Scope[] {
  if (method === 'tools/call') return [toolNamed(name ?? '')?.scope ?? []].flat()
  if (method === 'prompts/get') return prompts.find((one) => one.name === name)?.needs ?? []
  return uri === undefined ? [] : [scopeOf(uri) ?? []].flat()
}

/** What changes for this user, as far as the token's scopes let it be read, after the event the client saw last. */
export async function* changesFor({ actor, deps, request }: Caller, over?: AbortSignal): AsyncGenerator<Change | null> {
  const last = request.headers['last-event-id'] ?? ''
  for await (const one of follow(deps, actor.userId, idPattern('evt').test(last) ? last : null, over)) {
    const change = one && changeOf(one)
    if (one === null || (change && may(actor, scopeOf(change.uri) ?? undefined))) yield change
  }
}

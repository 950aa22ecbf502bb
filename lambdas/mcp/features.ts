import type * as z from 'zod'
import { followEvents } from '../../app/chat/follow-events.ts'
import { unaudited } from '../../app/outbox/outbox.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { Catalogue } from '../../app/ports/catalogue.ts'
import type { Resource, ServerFeatures, Tool } from '../../app/ports/mcp.ts'
import type { SocketClient } from '../../app/ports/socket.ts'
import { isAllowed, type UserActor } from '../../domain/actor.ts'
import type { Event } from '../../domain/chat/event.ts'
import { forbidden } from '../../domain/errors.ts'
import { idPattern } from '../../domain/ids.ts'
import { prompts } from '../../domain/mcp/prompts.ts'
import { changeOf, instanceUri, type ResourceChange, skillUri, walletUri } from '../../domain/mcp/resources.ts'
import { type NameStyle, nameStyleFor, withUnderscores } from '../../domain/mcp/tools.ts'
import { isObject } from '../../domain/models/json.ts'
import type { LimitClass } from '../../domain/rates/rate-limits.ts'
import type { Scope } from '../../domain/scopes.ts'
import { getSkill } from '../catalogue/get-skill.ts'
import { getInstanceStatus } from '../instance/get-instance-status.ts'
import { parseInput } from '../kit/input.ts'
import { type AnyOperation, credentialsOf, type RequestFacts } from '../kit/operation.ts'
import { getWallet } from '../wallet/get-wallet.ts'
import { type Message, readMessage } from './protocol.ts'

export interface Caller {
  actor: UserActor
  deps: { socketClient: SocketClient; catalogue: Catalogue } & Basics
  now: number
  request: RequestFacts
  /** Counts a call as its REST route would. @throws rate-limited */
  countAs(limit: LimitClass): Promise<void>
  reportError(error: unknown): void
}

/** Runs an operation as its REST route would. @throws the same errors */
async function runOperation(caller: Caller, operation: AnyOperation, input: unknown): Promise<unknown> {
  // The request itself was counted as a read already.
  if (operation.limit && operation.limit !== 'read') await caller.countAs(operation.limit)
  return operation.run({
    ...caller,
    input: parseInput(operation, input),
    admit: async () => {},
    outboxFor: unaudited,
    claims: [],
    cookie: () => null,
    setCookie: () => {},
    setRateWindow: () => {},
  })
}

/** @throws forbidden when the request asks for more than the caller's scopes cover */
export function featuresFor(
  operations: readonly AnyOperation[],
  caller: Caller,
  style: NameStyle | undefined,
): ServerFeatures {
  const message = readMessage(caller.request.rawBody)
  const missing = neededBy(operations, message).find((scope) => !isAllowed(caller.actor, scope))
  if (missing) throw forbidden(`This token lacks the scope ${missing}. Mint a token that has it.`)
  return {
    nameStyle: nameStyleFor(style, namesOf(caller, message)),
    tools: toolsFor(operations, caller),
    resources: () => resourcesFor(caller),
    templates: templates.filter(({ uriTemplate }) => isAllowed(caller.actor, scopeOf(uriTemplate) ?? undefined)),
    prompts: prompts.filter(({ needs }) => needs.every((scope) => isAllowed(caller.actor, scope))),
    reportError: caller.reportError,
    changes: (signal?: AbortSignal) => changesFor(caller, signal),
  }
}

/** The program's own name, from this message or the latest that had one. */
const namesOf = ({ actor, request }: Caller, { clientName }: Message) => [
  request.headers['user-agent'],
  clientName ?? (actor.kind === 'pat' ? actor.client : undefined),
]

function neededBy(operations: readonly AnyOperation[], { method, name, uri }: Message): readonly Scope[] {
  if (method === 'tools/call') return [findTool(operations, name ?? '')?.scope ?? []].flat()
  if (method === 'prompts/get') return prompts.find((prompt) => prompt.name === name)?.needs ?? []
  return uri === undefined ? [] : [scopeOf(uri) ?? []].flat()
}

/** The user's changes since the client's last event, as far as the token's scopes allow. */
export async function* changesFor(
  { actor, deps, request }: Caller,
  signal?: AbortSignal,
): AsyncGenerator<ResourceChange | null> {
  const last = request.headers['last-event-id'] ?? ''
  const isFor = (event: Event) => {
    const change = changeOf(event)
    return change !== null && isAllowed(actor, scopeOf(change.uri) ?? undefined)
  }
  const from = idPattern('evt').test(last) ? last : null
  for await (const event of followEvents(deps, credentialsOf(request), from, isFor, signal))
    yield event && changeOf(event)
}

/** Tool names may use dots or underscores. */
export const findTool = (operations: readonly AnyOperation[], name: string): AnyOperation | undefined =>
  operations.find(({ tool }) => tool && withUnderscores(tool.name) === withUnderscores(name))

const toolsFor = (operations: readonly AnyOperation[], caller: Caller): Tool[] =>
  operations.flatMap((operation) => {
    const { tool, scope, input, output } = operation
    if (!tool || !isAllowed(caller.actor, scope)) return []
    return [{ ...tool, input, output, call: (given) => runOperation(caller, operation, withoutNulls(input, given)) }]
  })

/** Models write null for an argument that they leave out; a tool that accepts null gets it. */
const withoutNulls = ({ shape }: z.ZodObject, args: unknown): unknown =>
  isObject(args)
    ? Object.fromEntries(
        Object.entries(args).filter(
          ([name, value]) => value !== null || (shape[name]?.safeParse(null).success ?? true),
        ),
      )
    : args

function scopeOf(uri: string): Scope | null {
  if (uri === walletUri) return getWallet.scope ?? null
  if (uri === instanceUri) return getInstanceStatus.scope ?? null
  return uri.startsWith(skillUri('')) ? (getSkill.scope ?? null) : null
}

const templates = [
  {
    uriTemplate: skillUri('{id}'),
    name: 'skill',
    title: 'A skill',
    description: 'One skill of the catalogue with its instructions; ids come from skills.list.',
  },
]

async function resourcesFor(caller: Caller): Promise<Resource[]> {
  const skills = isAllowed(caller.actor, getSkill.scope) ? await caller.deps.catalogue.skills() : []
  const all = [
    {
      uri: walletUri,
      name: 'wallet',
      title: 'Wallet',
      description: 'The balance that pays for model calls, in micro-dollars.',
      read: () => runOperation(caller, getWallet, {}),
    },
    {
      uri: instanceUri,
      name: 'instance',
      title: 'Instance',
      description: 'The agent’s machine, its state and why, and the subscription.',
      read: () => readInstance(caller),
    },
    ...skills.map(({ id, name, description }) => ({
      uri: skillUri(id),
      name: id,
      title: name,
      description,
      read: () => runOperation(caller, getSkill, { id }),
    })),
  ]
  return all.filter(({ uri }) => isAllowed(caller.actor, scopeOf(uri) ?? undefined))
}

/** The wallet is a separate resource, and changes with every model call. */
async function readInstance(caller: Caller): Promise<unknown> {
  const { wallet: _, ...rest } = getInstanceStatus.output.parse(await runOperation(caller, getInstanceStatus, {}))
  return rest
}

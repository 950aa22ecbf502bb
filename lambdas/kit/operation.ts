import type { Writable } from 'node:stream'
import type * as z from 'zod'
import { auditActor } from '../../domain/account/audit.ts'
import type { Actor, Audience, MachineActor, SessionActor, UserActor } from '../../domain/actor.ts'
import type { Code } from '../../domain/errors.ts'
import type { Access, Basics, PortName, Ports } from '../../domain/ports.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { LimitClass } from '../../domain/tokens/window.ts'
import type { ToolAnnotations } from '../../domain/tool.ts'
import { sealed } from './sealed.ts'

/** `user` is a session, or a PAT with the operation's scope; `signed` checks the sender's signature itself. */
export type Auth = 'none' | 'signed' | 'session' | 'user' | Audience

type ActorOf<A extends Auth> = A extends 'none' | 'signed'
  ? Extract<Actor, { kind: 'anonymous' }>
  : A extends 'session'
    ? SessionActor
    : A extends 'user'
      ? UserActor
      : MachineActor

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What takes a response's body; it closes before its end when the client leaves. */
export type Sink = Writable

/** Writes a body piece by piece, waits where the client is slow, ends it, and is done when nothing is left to do. */
export type Pour = (to: Sink) => Promise<void>

/** A response whose body is written as it comes. */
export interface Streamed {
  status: number
  headers: Record<string, string>
  body: ReadableStream<Uint8Array> | Pour | string
}

/** What an operation may need of the request beyond its input. Header names are lower case. */
export interface RequestFacts {
  id: string
  headers: Readonly<Record<string, string>>
  rawBody: string
  method: string
  /** Path and query below the API root. */
  target: string
}

export interface Context<I, A extends Auth, U extends PortName> {
  input: I
  actor: ActorOf<A>
  deps: Pick<Ports, U> & Basics
  /** Milliseconds since 1970 at which the request arrived. */
  now: number
  request: RequestFacts
  /** Sets (or with null clears) the browser's session cookie. */
  setSession(cookie: string | null): void
  /** Adds the rate window to the response when the operation counted it itself. */
  counted(counts: Readonly<Record<string, number>>): void
  /** Notes a fault that the answer's status does not show. */
  failed(error: unknown): void
}

export interface Http<O> {
  method: Method
  path: `/${string}`
  /** 200 unless said; a function reads the status off the output. */
  status?: 201 | 202 | 204 | ((output: O) => 200 | 202)
  /** Further addresses of the same operation. */
  aliases?: readonly `/${string}`[]
  /** The answer is a `Streamed`, written as it comes. */
  stream?: true
  /** The answer is text of this media type, sent as a file of this name; `output` is a string. */
  file?: { type: 'text/csv'; name: string }
  /** The body is handed over as it came, in `request.rawBody`; `input` covers path and query only. */
  rawBody?: true
}

export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  A extends Auth = Auth,
  U extends PortName = PortName,
> {
  id: string
  summary: string
  description?: string
  http: Http<z.output<O>>
  tool?: { name: string; title: string; description: string; annotations: ToolAnnotations }
  auth: A
  scope?: Scope
  limit: LimitClass | null
  /** `wallet`: the operation itself admits the caller in the write that holds money. */
  admission?: 'wallet'
  /** Only the service's own pages may call it, cookie or not. */
  sameOrigin?: true
  /** Wants a sign-in ten minutes old at most. */
  recentSignIn?: true
  /** A success's line in the audit trail: what was acted on, and whose it is when the caller is nobody yet. */
  audit?(done: { input: z.output<I>; output: z.output<O>; actor: ActorOf<A> }): {
    record: string
    userId?: string
  } | null
  input: I
  output: O
  /** Examples of the output and of the input, for the document, where the schemas alone do not make good ones. */
  example?: unknown
  exampleInput?: unknown
  /** Codes beyond those every operation of its auth and limit can answer. */
  errors: readonly Code[]
  uses: readonly U[]
  run(context: Context<z.output<I>, A, U>): Promise<z.output<O> | Streamed>
}

/** One verb of the service: data plus one function; routes, tools, documents and grants are derived from it. */
export const operation = <I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName>(
  one: Operation<I, O, A, U>,
): Operation<I, O, A, U> => {
  const made = 'cursor' in one.input.shape ? sealed(one) : one
  return made.audit ? audited(made) : made
}

/** The operation with its line in the audit trail, at whichever door it is asked for. */
function audited<I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName>(
  one: Operation<I, O, A, U>,
): Operation<I, O, A, U> {
  const uses = [...new Set<PortName>([...one.uses, 'audit'])] as U[] // safe because an area grants what `uses` names
  return {
    ...one,
    uses,
    async run(context) {
      const output = await one.run(context)
      const actor: Actor = context.actor
      // safe because an operation that streams its answer is not audited
      const said = one.audit?.({ input: context.input, output: output as z.output<O>, actor: context.actor })
      const userId = said?.userId ?? ('userId' in actor ? actor.userId : undefined)
      const { audit } = context.deps as Partial<Pick<Ports, 'audit'>> // safe because `uses` names it above
      if (!audit) throw new Error(`${one.id} is audited but its area has no access to the audit trail`)
      if (said && userId)
        await audit.record(userId, { operation: one.id, record: said.record, actor: auditActor(actor) })
      return output
    },
  }
}

/** Something that happened outside and one function that answers it: a bus event or a tick of the clock. */
export interface Reaction<I extends z.ZodType = z.ZodType, U extends PortName = PortName> {
  id: string
  on:
    | { bus: 'aws' | 'berth'; source: string; detailType: string; detail?: Record<string, string[]> }
    | { everyMinutes: number }
  input: I
  uses: readonly U[]
  run(context: { input: z.output<I>; deps: Pick<Ports, U> & Basics; now: number }): Promise<void>
}

/** What a schedule hands to the function: which reaction is due. */
export interface Tick {
  reaction: string
}

export const reaction = <I extends z.ZodType, U extends PortName>(one: Reaction<I, U>): Reaction<I, U> => one

/** Any operation, when only its data is read. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations is contravariant in each context
export type AnyOperation = Operation<any, any, any, any>
// biome-ignore lint/suspicious/noExplicitAny: as above, for reactions
export type AnyReaction = Reaction<any, any>

/** One Lambda: a folder of operations that share what they may touch. */
export interface Area {
  name: string
  operations: readonly AnyOperation[]
  reactions: readonly AnyReaction[]
  access: Access
  /** All routes of the area stream, or none does. */
  stream: boolean
  timeoutSeconds: number
  memoryMiB: number
}

export const area = (one: Pick<Area, 'name' | 'access'> & Partial<Omit<Area, 'name' | 'access'>>): Area => ({
  operations: [],
  reactions: [],
  stream: false,
  timeoutSeconds: 29,
  memoryMiB: 512,
  ...one,
})

/** The codes every operation of this kind can answer, with its own. */
export function errorsOf(one: AnyOperation): Code[] {
  const all = new Set<Code>(['validation', 'internal', ...one.errors])
  if (one.auth !== 'none' && one.auth !== 'signed') all.add('unauthorized')
  if (one.auth === 'user' || one.auth === 'session' || one.sameOrigin) all.add('forbidden')
  if (one.limit) all.add('rate-limited')
  if (one.http.method !== 'GET' && !one.http.rawBody) all.add('invalid-json')
  if (requiredParameters(one).length > 0) all.add('missing-id')
  return [...all].sort()
}

/** Names in `{braces}` of the path. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map((found) => found[1] ?? '')

/** True when the input that is not in the path comes in the query. */
export const inputInQuery = (one: AnyOperation): boolean =>
  one.http.method === 'GET' || one.http.method === 'DELETE' || one.http.rawBody === true

const required = new WeakMap<AnyOperation, string[]>()

/** Path and query parameters without which there is no request: their absence is `missing-id`. */
export function requiredParameters(one: AnyOperation): string[] {
  const names = required.get(one) ?? namesRequired(one)
  required.set(one, names)
  return names
}

function namesRequired(one: AnyOperation): string[] {
  const inPath = pathParameters(one.http.path)
  if (!inputInQuery(one)) return inPath
  const shape: Record<string, z.ZodType> = one.input.shape
  return Object.keys(shape).filter((name) => inPath.includes(name) || !shape[name]?.safeParse(undefined).success)
}

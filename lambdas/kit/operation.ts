import type { Writable } from 'node:stream'
import { ReadableStream as NodeReadableStream } from 'node:stream/web'
import * as z from 'zod'
import type { PortName, Ports } from '../../adapters/ports.ts'
import { operatorLines } from '../../app/operator/trail.ts'
import { auditedOutbox, type Outbox, type OutboxFor } from '../../app/outbox/outbox.ts'
import type { AuditLine } from '../../app/ports/account.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { ToolAnnotations } from '../../app/ports/mcp.ts'
import type { Part } from '../../app/ports/part.ts'
import type { Credentials } from '../../app/ports/socket.ts'
import { auditActor } from '../../domain/account/audit.ts'
import { checkRecentSignIn } from '../../domain/account/recent-sign-in.ts'
import type {
  Actor,
  Audience,
  MachineActor,
  OperatorActor,
  PatActor,
  SessionActor,
  UserActor,
} from '../../domain/actor.ts'
import { type Code, type DomainError, invalid } from '../../domain/errors.ts'
import type { Viewed } from '../../domain/operator/view.ts'
import type { LimitClass } from '../../domain/rates/rate-limits.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Uses } from './access.ts'
import type { CookieName } from './cookies.ts'
import { doneOnce } from './idempotency.ts'

/**
 * `user`: a session, or a PAT with the operation's scope. `pat`: only such a PAT, also as `x-api-key`. `operator`: a
 * session of one of the stage's operators, opened by passkey, within ten minutes unless `anySignInAge`. `signed`: the
 * operation checks the sender's signature itself.
 */
export type Auth = 'none' | 'signed' | 'session' | 'user' | 'pat' | 'operator' | Audience

type ActorOf<A extends Auth> = A extends 'none' | 'signed'
  ? Extract<Actor, { kind: 'anonymous' }>
  : A extends 'session'
    ? SessionActor
    : A extends 'user'
      ? UserActor
      : A extends 'pat'
        ? PatActor
        : A extends 'operator'
          ? OperatorActor
          : MachineActor

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The destination of a response's body; it emits `close` before its end when the client leaves. */
type Sink = Writable

/** Writes a body in pieces, waits for a slow client, ends the body, and resolves when nothing is left to do. */
export type BodyWriter = (to: Sink) => Promise<void>

export interface StreamedResponse {
  status: number
  headers: Record<string, string>
  body: ReadableStream<Uint8Array> | BodyWriter | string
}

/** A body that reads its bytes only as fast as the client takes them. */
export const streamOf = (bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) =>
  NodeReadableStream.from(bytes) as StreamedResponse['body'] // safe because it is the global class, which is declared twice

/** Facts of a request besides its input. Header names are lower case. */
export interface RequestFacts {
  id: string
  /** The subject of its limits: an IPv4 address, or an IPv6 /64. */
  ip: string
  headers: Readonly<Record<string, string>>
  rawBody: string
  method: string
  /** The path below the API root, as it was sent. */
  target: string
  query: Readonly<Record<string, string>>
}

export const credentialsOf = ({ headers }: Pick<RequestFacts, 'headers'>): Credentials => ({
  ...(headers.authorization !== undefined && { authorization: headers.authorization }),
  ...(headers.cookie !== undefined && { cookie: headers.cookie }),
})

export interface OperationContext<I, A extends Auth, U extends PortName> {
  input: I
  actor: ActorOf<A>
  deps: Pick<Ports, U> & Basics
  /** When the request arrived, ms since 1970. */
  now: number
  request: RequestFacts
  /** Null without the cookie. */
  cookie(name: CookieName): string | null
  /** Null clears the cookie. */
  setCookie(name: CookieName, value: string | null): void
  /** For operations with `admission` that answer without an admitting write. @throws unauthorized, rate-limited */
  admit(): Promise<void>
  /** Makes the outbox of a change: its audit entry and follow-ups. For operations with `commits`. */
  outboxFor: OutboxFor
  /** The claim of the request's idempotency key, to write with the change. An outbox contains it already. */
  claims: readonly Part[]
  /** @throws rate-limited */
  countAs(limit: LimitClass): Promise<void>
  /** Adds the rate window to the response when the operation counted it itself. */
  setRateWindow(counts: Readonly<Record<string, number>>): void
  /** Reports an error that the response's status does not show. */
  reportError(error: unknown): void
}

interface Http<O> {
  method: Method
  path: `/${string}`
  /** Default 200; a function derives the status from the output. */
  status?: 201 | 202 | 204 | ((output: O) => 200 | 202)
  aliases?: readonly `/${string}`[]
  /** The answer is a streamed `StreamedResponse`: events, or a file of this media type. */
  stream?: true | 'application/octet-stream'
  /** Opens a WebSocket; the path is no REST route. */
  socket?: true
  /** The answer is text of this media type, saved under `name` if given; `output` is a string. */
  text?: { type: 'text/csv' | 'text/plain'; name?: string }
  /** The answer changes only with a deployment: it has an ETag, and is compressed. Its area streams. */
  document?: true
  /** Answers of another protocol's own server: each status with its meaning, and the body of refusals. */
  protocol?: { answers: Readonly<Record<number, string>>; refusal: z.ZodType }
  /** `request.rawBody` has the body as sent; `input` covers only path and query. */
  rawBody?: true
}

/** The requests of an operation that need a recent sign-in, if not all do. */
interface SignInRule<I> {
  /** In the document: `The sign-in … when {when}.` */
  when: string
  /** Absent if the operation itself checks, by stored data. */
  appliesTo?(input: I): boolean
}

interface Operation<
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
  /**
   * `wallet`: the operation admits the caller in the write that holds money; a caller whom it refuses before is
   * admitted and counted first. `secret`: a caller with the right secret is not counted, so that nobody else can use up
   * its window; any other caller is counted before the refusal.
   */
  admission?: 'wallet' | 'secret'
  /** Only the service's own pages may call it, with or without a cookie. */
  sameOrigin?: true
  /**
   * Within ten minutes of a session's sign-in; calls with a token are exempt. Required for an operation that makes a
   * credential, names a destination or charges.
   */
  recentSignIn?: true | SignInRule<z.output<I>>
  /** For operators: the sign-in may be older than ten minutes. Default: for operations that only read. */
  anySignInAge?: true
  /** For an operator's view of a user: changes nothing, reveals no secret. `messages`: it shows messages. */
  viewed?: Viewed
  /** Creates or charges, so a client may repeat the request with the same `Idempotency-Key`; it is done once. */
  creates?: true
  /** Writes its change with an outbox of the context's `outboxFor`, which contains its audit entry. */
  commits?: true
  /** The record in the audit entry of a success that changed nothing in our store; null for none. */
  audit?(done: { input: z.output<I>; output: z.output<O>; actor: ActorOf<A> }): string | null
  input: I
  output: O
  /** A request that the service sends later, for the document; `to` is the input's field with its address. */
  callback?: { id: string; to: string; summary: string; description: string; body: z.ZodType }
  /** Examples for the document, where the schemas alone do not make good ones. */
  example?: unknown
  exampleInput?: object
  /** An error's shape at this address; null for the usual shape. `status` is its code's. */
  errorAs?(
    error: DomainError,
    status: number,
    request: Pick<RequestFacts, 'target' | 'headers'>,
  ): { status: number; retryAfterSeconds?: number; body: object } | null
  /** A provider's reasons for refusing a request, in the shape of `errorAs`, if any. */
  refusals?: readonly DomainError[]
  /** Codes beyond those that its auth and limit imply. */
  errors: readonly Code[]
  /** The ports it uses, from which the permissions of its area's function are derived. */
  uses: Uses<U>
  run(context: OperationContext<z.output<I>, A, U>): Promise<z.output<O> | StreamedResponse>
}

/** The live ports that `uses` names. */
export type PortsOf<U> = Pick<Ports, keyof U & PortName> & Basics

const noInput = z.strictObject({})
type Ruled = 'input' | 'limit' | 'errors'

/**
 * By default: no input; GET counts as a read, other methods as a write; operators' operations have their own limit, and
 * those that only read accept a sign-in of any age.
 */
type Declared<I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName> = Omit<
  Operation<I, O, A, U>,
  Ruled
> &
  Partial<Pick<Operation<I, O, A, U>, Ruled>>

/** One operation of the service: data plus one function. Routes, tools, documents and grants are derived from it. */
export function operation<
  O extends z.ZodType,
  A extends Auth,
  U extends PortName,
  I extends z.ZodObject = typeof noInput,
>(declared: Declared<I, O, A, U>): Operation<I, O, A, U> {
  const limit = declared.auth === 'operator' ? 'operator' : declared.http.method === 'GET' ? 'read' : 'write'
  // safe because an operation that declares no input is of noInput's type
  const ruled: Operation<I, O, A, U> = {
    input: noInput as unknown as I,
    limit,
    errors: [],
    ...(limit === 'operator' && declared.http.method === 'GET' && { anySignInAge: true as const }),
    ...declared,
  }
  const paged = 'cursor' in ruled.input.shape ? signedCursor(ruled) : ruled
  const noted = paged.commits || paged.audit ? audited(paged) : paged
  const once = noted.creates ? idempotent(noted) : noted
  return once.recentSignIn ? signedInRecently(once) : once
}

type Decorator = <I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName>(
  operation: Operation<I, O, A, U>,
) => Operation<I, O, A, U>

/** Adds the check of the caller's sign-in, over HTTP and as a tool. */
const signedInRecently: Decorator = (operation) => {
  const { recentSignIn: rule } = operation
  return {
    ...operation,
    async run(context) {
      const actor: Actor = context.actor
      const applies = rule === true || rule?.appliesTo?.(context.input)
      if (applies && actor.kind === 'session') checkRecentSignIn(actor.signedInAt, context.now)
      return operation.run(context)
    },
  }
}

/** Adds the audit entry, over HTTP and as a tool. */
function audited<I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName>(
  operation: Operation<I, O, A, U>,
): Operation<I, O, A, U> {
  const { id, uses, commits } = operation
  return {
    ...operation,
    uses: { ...uses, audit: 'write', ...(commits && { outbox: 'write' }) },
    async run(context) {
      const deps = context.deps as unknown as Pick<Ports, 'audit' | 'outbox'> & Basics // safe because `uses` names them above
      const actor: Actor = context.actor
      // An unknown caller's action is recorded for the user whom it signs in.
      const linesOf = (record: string): AuditLine[] => {
        const line = { operation: id, record, actor: auditActor(actor) }
        if (actor.kind === 'operator') return operatorLines(line, context.input)
        return [{ userId: 'userId' in actor ? actor.userId : record, ...line }]
      }
      const owner = (record: string) => ('userId' in actor ? actor.userId : record)
      let last: { outbox: Outbox; lines: AuditLine[] } | undefined
      const outboxFor: OutboxFor = (record, followUps) => {
        const lines = linesOf(record)
        const outbox = auditedOutbox(deps, owner(record), lines, followUps, context.claims)
        last = { outbox, lines }
        return outbox
      }
      const output = await operation.run({ ...context, outboxFor })
      // A success that changed nothing has an entry, too. An operator's repeated request adds no second one.
      let unwritten = !last || last.outbox.isWritten || actor.kind === 'operator' ? [] : last.lines
      if (operation.audit) {
        // safe because an operation that streams its answer is not audited
        const record = operation.audit({ input: context.input, output: output as z.output<O>, actor: context.actor })
        unwritten = record === null ? [] : linesOf(record)
      }
      // Without another write of its own, the operation's entry carries the claim of the idempotency key.
      const claims = last?.outbox.isWritten ? [] : context.claims.filter(({ isWritten }) => !isWritten)
      for (const [index, line] of unwritten.entries()) await deps.audit.record(line, ...(index === 0 ? claims : []))
      return output
    },
  }
}

const idempotent: Decorator = (operation) => ({
  ...operation,
  uses: { ...operation.uses, idempotencyKeys: 'write' },
  errors: [...new Set([...operation.errors, 'conflict' as const])],
  run(context) {
    const { idempotencyKeys } = context.deps as unknown as Pick<Ports, 'idempotencyKeys'> // safe because `uses` names it above
    return doneOnce(idempotencyKeys, context, (claim) => operation.run({ ...context, claims: claim ? [claim] : [] }))
  },
})

/** Cursors are valid for one caller and list. The list itself uses plain positions. */
const signedCursor: Decorator = (operation) => ({
  ...operation,
  uses: { ...operation.uses, cursors: 'read' },
  async run(context) {
    const { cursors } = context.deps as unknown as Pick<Ports, 'cursors'> // safe because `uses` names it above
    const actor: Actor = context.actor
    const list = `${operation.id} ${'userId' in actor ? actor.userId : ''}`
    const { cursor: given } = context.input as { cursor?: string } // safe because domain/page.ts says what a cursor is
    const cursor = given === undefined ? undefined : await cursors.verify(list, given)
    if (cursor === null) throw invalid('cursor', 'use the unchanged nextCursor of an earlier answer.')
    const output = await operation.run({ ...context, input: { ...context.input, cursor } })
    const { nextCursor } = output as { nextCursor?: string | null } // safe because it is looked at before it is used
    if (typeof nextCursor !== 'string') return output
    return Object.assign({}, output, { nextCursor: await cursors.sign(list, nextCursor) })
  },
})

// biome-ignore lint/suspicious/noExplicitAny: a list of operations is contravariant in each context
export type AnyOperation = Operation<any, any, any, any>

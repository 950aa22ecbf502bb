import type { Logger } from '@aws-lambda-powertools/logger'
import middy from '@middy/core'
import type { Context as LambdaContext } from 'aws-lambda'
import { unaudited } from '../../app/outbox/outbox.ts'
import { DomainError, noRoute } from '../../domain/errors.ts'
import { renewedClaims } from '../../domain/tokens/machine-token.ts'
import type { Area, Unserved } from './area.ts'
import { type AuthPorts, authenticate } from './authenticate.ts'
import { callerAddress } from './client-address.ts'
import { readCookie, setCookie } from './cookies.ts'
import { DenyCache } from './deny-cache.ts'
import { asDocument } from './document.ts'
import { asDomainError, statusOf, toErrorBody } from './errors.ts'
import { readInput } from './input.ts'
import { makeLogger, redactedStack } from './log-redaction.ts'
import type { AnyOperation, Auth, StreamedResponse } from './operation.ts'
import { readable } from './readable.ts'
import {
  type HttpRequest,
  type HttpResponse,
  openContext,
  type RequestContext,
  responseHeaders,
  routesOf,
  setRefusedWindow,
  setWindow,
} from './request.ts'

type Body = Pick<HttpResponse, 'status' | 'headers' | 'body'>
type Step = (step: middy.Request<RequestContext, Body>) => Promise<void> | void

interface Service {
  area: Area
  deps: AuthPorts
  denied: DenyCache
  logger: Logger
}

/** Never rejects: any error becomes an error response, which shows only a domain error's own message. */
export function pipeline(
  area: Area,
  deps: AuthPorts,
): (request: HttpRequest, lambda?: Pick<LambdaContext, 'getRemainingTimeInMillis'>) => Promise<HttpResponse> {
  const routes = routesOf(area.operations)
  const service: Service = { area, deps, denied: new DenyCache(), logger: makeLogger(area.name, deps.settings) }
  const [log, add] = [logRequest(service), addHeaders(service)]
  const steps = middy<RequestContext, Body>()
    .use({ after: log, onError: log })
    .use({ after: add, onError: add })
    .use({ before: authenticateCaller(service), onError: mapError(service) })
    .handler((context) => run(service, context))

  return async (request, lambda) => {
    const context = openContext(routes, area.elsewhere, request, deps.clock.now())
    // middy ends the steps with an error right before Lambda's timeout.
    const response = await steps(context, (lambda ?? {}) as LambdaContext) // safe because it reads the remaining time alone
    const body = request.method === 'HEAD' ? await dropped(response.body) : response.body
    return { ...response, body, cookies: context.cookies }
  }
}

const authenticateCaller =
  ({ deps, denied }: Service): Step =>
  async ({ event: context }) => {
    const { request } = context
    if (!context.operation) throw notServed(context)
    context.ip = await callerAddress(request.ip, request.headers, deps.edge)
    context.caller = await authenticate(context.operation, context, deps, denied)
  }

async function run({ deps, logger }: Service, context: RequestContext): Promise<Body> {
  const operation = context.operation as AnyOperation // safe because authenticateCaller refused a request without one
  const { request } = context
  const admit = async (refusal?: DomainError) => context.caller?.admit?.(refusal)
  try {
    const output = await operation.run({
      input: readInput(operation, request),
      actor: context.caller?.actor as never, // safe because authenticate() answers the actor the operation's auth declares
      deps,
      now: context.now,
      request: { ...request, ip: context.ip, rawBody: request.body },
      admit: () => admit(),
      countAs: async (limit) => context.caller?.countAs?.(limit),
      outboxFor: unaudited,
      claims: [],
      cookie: (name) => readCookie(request.headers, name, deps.settings.production),
      setCookie: (name, value) => context.cookies.push(setCookie(name, value, deps.settings.production)),
      setRateWindow: (counts) => setWindow(context, counts),
      reportError: (error) => logFault(logger, context, error),
    })
    if (operation.http.document) return asDocument(request, output)
    if (!operation.http.stream) return buffered(operation, output)
    // A stream lives for minutes, so its request's body is freed.
    context.request = { ...request, body: '' }
    return output as StreamedResponse // safe because stream operations answer one
  } catch (error) {
    // A caller who is not admitted does not learn the errors of the request.
    const refusal = asDomainError(error)
    if (refusal.code !== 'unauthorized' && !context.window) await admit(refusal)
    throw error
  }
}

const mapError =
  ({ area, deps, logger }: Service): Step =>
  (step) => {
    const error = asDomainError(step.error)
    if (error.code === 'internal') logFault(logger, step.event, step.error)
    const status = isNotServed(step.event) ? 405 : statusOf[error.code]
    const { operation, request } = step.event
    const errorAs = operation ? operation.errorAs : errorsBelow(area.unserved, request.target)
    const shown = errorAs?.(error, status, request)
    if (error.code === 'provider-error' && (shown?.status ?? status) >= 500)
      deps.alarms.measure('ProviderErrorAnswered', 1)
    const retryAfterSeconds = shown?.retryAfterSeconds ?? error.retryAfterSeconds
    if (retryAfterSeconds !== undefined && !error.outsideWindow) setRefusedWindow(step.event, retryAfterSeconds)
    const headers = { ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }) }
    step.response = shown ? json(shown.status, shown.body, headers) : json(status, toErrorBody(error), headers)
  }

const addHeaders =
  ({ deps }: Service): Step =>
  async ({ event: context, response }) => {
    const { caller, window, now } = context
    // Renew the token only for a request that passed the rate limit, so a superseded machine never gets a new one.
    const renewed = caller?.claims && window && renewedClaims(caller.claims, now)
    // If signing fails, a later response renews the token.
    if (renewed && deps.machineTokens) context.machineToken = await deps.machineTokens.sign(renewed).catch(() => null)
    if (response) response.headers = { ...responseHeaders(context), ...response.headers }
  }

const logRequest =
  ({ deps, logger }: Service): Step =>
  ({ event: context, response }) => {
    const { operation } = context
    const durationMs = deps.clock.now() - context.now
    const status = response?.status ?? 500
    logger.info('request', { ...logFieldsOf(context), operation: operation?.id, status, durationMs })
    if (operation && isWaitedFor(operation)) deps.alarms.measure('RequestMs', durationMs)
    // Strangers cannot cause this: a wrong signature is answered 401.
    if (operation?.auth === 'signed' && status >= 500)
      deps.alarms.raise('WebhookFailed', 1, { operation: operation.id, status, requestId: context.request.id })
  }

const machinesAuth: readonly Auth[] = ['agent', 'llm', 'files']

/** Machines wait for work, and a stream lasts as long as its source. */
const isWaitedFor = ({ auth, http }: AnyOperation): boolean => !http.stream && !machinesAuth.includes(auth)

/** True for a path that is served by other methods only. */
const isNotServed = ({ operation, allow }: RequestContext): boolean => !operation && allow.length > 0

const notServed = (context: RequestContext): DomainError =>
  isNotServed(context)
    ? new DomainError(
        'not-found',
        `This path serves ${context.allow.join(', ')} and no other method. See /docs/reference.`,
      )
    : noRoute()

const errorsBelow = (unserved: Unserved | undefined, target: string): Unserved['errorAs'] | undefined =>
  unserved?.paths.some((path) => target.startsWith(path.replace('{path+}', ''))) ? unserved.errorAs : undefined

/** HEAD is GET without the body; a stream is cancelled at once. */
async function dropped(given: HttpResponse['body']): Promise<string> {
  const { body } = readable(given)
  if (body instanceof ReadableStream) await body.cancel()
  else if (typeof body !== 'string') body.destroy()
  return ''
}

/** Log fields of a request, without its path as sent, which may hold a secret. */
const logFieldsOf = ({ request: { id, method, route } }: RequestContext) => ({ requestId: id, method, resource: route })

const logFault = (logger: Logger, context: RequestContext, error: unknown): void =>
  logger.error('unhandled error', { ...logFieldsOf(context), stack: redactedStack(error) })

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Body => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: status === 204 ? '' : JSON.stringify(body),
})

function buffered({ http: { status, text } }: AnyOperation, output: unknown): Body {
  if (!text || typeof output !== 'string')
    return json(typeof status === 'function' ? status(output) : (status ?? 200), output)
  const headers = {
    'Content-Type': `${text.type}; charset=utf-8`,
    ...(text.name !== undefined && { 'Content-Disposition': `attachment; filename="${text.name}"` }),
  }
  return { status: 200, headers, body: output }
}

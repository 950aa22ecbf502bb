import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi'
import { type Code, DomainError, invalid } from '../../domain/errors.ts'
import { ProviderRefusal } from '../../domain/models/provider-refusal.ts'
import { errorBody, errorsOf, oauthErrorBody, statusOf, toErrorBody, vendorErrorBody } from './errors.ts'
import { allowHeaders, baseHeaders, limitHeaders, limitHeadersIfCounted, retryHeaders } from './openapi-headers.ts'
import type { AnyOperation } from './operation.ts'
import { exampleOf } from './schema-example.ts'

const messages: Record<Code, string> = {
  unauthorized: 'Token or session missing, malformed, revoked or expired.',
  forbidden: 'The token lacks the scope, or the request does not come from our own pages.',
  'not-found': 'This caller has no such resource.',
  validation: 'A field failed validation; details holds the messages by field.',
  'invalid-json': 'The body is not parseable JSON.',
  'rate-limited': 'Too many requests; wait as long as Retry-After says.',
  'wallet-empty': 'The wallet is empty; top it up on the wallet page of the dashboard.',
  'spending-limit': 'A spending limit leaves too little; raise it on the wallet page, or wait until 00:00 UTC.',
  'wallet-suspended': 'All spending is suspended; reply to any e-mail from us.',
  'repeated-calls': 'The agent repeats the same call; wait as long as Retry-After says, or send the agent a message.',
  'provider-error': 'The model or billing provider failed; retry in 4, 8, 16, 32 seconds.',
  'too-large': 'The request exceeds a limit of this service or of the model provider; send less.',
  'missing-id': 'A required path or query parameter is absent.',
  conflict: 'The resource’s state conflicts with the request; read it again.',
  internal: 'Something failed on our side; retry once.',
}

const exampleOfError = (code: Code): DomainError =>
  code === 'validation'
    ? invalid('name', 'Use at least 1 character.')
    : statusOf[code] === 429
      ? new DomainError(code, `${messages[code].split(';')[0]}. Try again in 12 seconds.`, { retryAfterSeconds: 12 })
      : new DomainError(code, messages[code])

/** An error that an operation can answer: its code at this address, its meaning, and one that is thrown. */
interface Answerable {
  code: string
  meaning: string
  error: DomainError
}

/** An address's translation of errors; undefined for the usual shape. */
type TellAs = (error: DomainError) => object | undefined

type Responses = ZodOpenApiOperationObject['responses']

/** The schema of an error in this shape, and a suffix that names the response's shape. */
function shapeOf(body: object | undefined): [schema: z.ZodType, suffix: string] {
  if (!body) return [errorBody, '']
  if ('error_description' in body) return [oauthErrorBody, 'AsOauth']
  return [vendorErrorBody, 'type' in body ? 'AsAnthropic' : 'AsOpenai']
}

const pascal = (code: string) => code.replace(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Error responses of one document. Operations with the same codes for a status share a response. */
export class ErrorResponses {
  readonly #shared = new Map<string, ZodOpenApiResponseObject>()

  of(operation: AnyOperation, path: string): Responses {
    const byStatus = Map.groupBy(errorsOf(operation), (code) => statusOf[code])
    const toldAs =
      (status: number): TellAs =>
      (error) =>
        operation.errorAs?.(error, status, { target: path, headers: {} })?.body
    const statuses = [...byStatus].map(([status, codes]) => {
      const own = codes.map((code) => ({ code, meaning: messages[code], error: exampleOfError(code) }))
      const refusals = refusalsOf(operation, status, path).filter(({ code }) => own.every((each) => each.code !== code))
      const id = [...codes, ...(refusals.length > 0 ? ['refused'] : [])].map(pascal).join('Or')
      return [String(status), this.#response(id, status, [...own, ...refusals], operation, toldAs(status))]
    })
    return { ...Object.fromEntries(statuses), default: this.#otherwise(toldAs(405)) }
  }

  /** Statuses of another protocol's server; where the service has the same status, the body may be either's. */
  ofProtocol(operation: AnyOperation): Responses {
    const { answers, refusal } = operation.http.protocol ?? { answers: {}, refusal: z.null() }
    const ours = this.of(operation, operation.http.path) as Record<string, ZodOpenApiResponseObject> // safe because `of` refers to nothing
    return Object.fromEntries(
      Object.entries(answers).map(([status, meaning]) => {
        const own = ours[status]
        const schema = own ? z.union([errorBody, refusal]) : refusal
        const content = { 'application/json': { schema, example: exampleOf(refusal, 'output') } }
        const description = own ? `${own.description} ${meaning}` : meaning
        const response = { description, headers: own?.headers ?? z.object(baseHeaders) }
        return [status, Number(status) < 300 ? response : { ...response, content }]
      }),
    )
  }

  #response(
    id: string,
    status: number,
    answerable: Answerable[],
    operation: AnyOperation,
    tellAs: TellAs,
  ): ZodOpenApiResponseObject {
    const [schema, suffix] = shapeOf(answerable[0] && tellAs(answerable[0].error))
    const isUsual = status !== statusOf.unauthorized
    // A caller with a wrong secret is counted; other unknown callers are not.
    const isCounted = operation.limit !== null && (isUsual || operation.admission === 'secret')
    const counted = isCounted === isUsual ? '' : isCounted ? 'Counted' : 'Uncounted'
    return this.#once(`${id}${counted}${suffix}`, {
      description: answerable.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join(' '),
      headers: z.object({
        ...baseHeaders,
        ...(status === 429 ? { ...limitHeaders, ...retryHeaders } : isCounted && limitHeadersIfCounted),
      }),
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(
            answerable.map(({ code, error }) => [code, { value: tellAs(error) ?? toErrorBody(error) }]),
          ),
        },
      },
    })
  }

  #otherwise(tellAs: TellAs): ZodOpenApiResponseObject {
    const method = new DomainError('not-found', 'This path has only GET and HEAD. See /docs/reference.')
    const expectation = invalid('expect', 'only "Expect: 100-continue" is supported.')
    const body = tellAs(method)
    const isVendors = shapeOf(body)[0] === vendorErrorBody
    return this.#once(`NotServed${isVendors ? shapeOf(body)[1] : ''}`, {
      description:
        'The request itself is refused. 405 `not-found`: the path does not serve this method; `Allow` names those that it serves. ' +
        '414 `validation`: the address is longer than 8,192 bytes. 415 `invalid-json`: the Content-Encoding of the body is not supported. 417 `validation`: an `Expect` other than `100-continue`.',
      headers: z.object({ ...baseHeaders, ...allowHeaders }),
      content: {
        'application/json': {
          schema: isVendors ? z.union([vendorErrorBody, errorBody]) : errorBody,
          examples: {
            'not-found': { value: isVendors ? body : toErrorBody(method) },
            validation: { value: toErrorBody(expectation) },
          },
        },
      },
    })
  }

  #once(id: string, response: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
    const made = this.#shared.get(id) ?? { id, ...response }
    this.#shared.set(id, made)
    return made
  }
}

/** Refusals of a model provider that an address reports with this status and its own type. */
const refusalsOf = ({ refusals = [], errorAs }: AnyOperation, status: number, path: string): Answerable[] =>
  refusals.flatMap((error) => {
    const shown = errorAs?.(error, statusOf[error.code], { target: path, headers: {} })
    if (shown?.status !== status || !(error instanceof ProviderRefusal)) return []
    return { code: error.type, meaning: error.message, error }
  })

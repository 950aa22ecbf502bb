import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { type Code, DomainError, invalid } from '../../domain/errors.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import { webhookEvent } from '../../domain/webhooks/delivery.ts'
import { forClients } from './client-schema.ts'
import { errorBody, errorsOf, oauthErrorBody, statusOf, toErrorBody, vendorErrorBody } from './errors.ts'
import { idempotencyHeader } from './idempotency.ts'
import { linksFrom } from './openapi-links.ts'
import type { AnyOperation } from './operation.ts'
import { inputInQuery, pathParameters } from './parameters.ts'
import { exampleOf, idsByNoun } from './schema-example.ts'

const securityOf = ({ auth }: AnyOperation): Record<string, string[]>[] => {
  if (auth === 'none' || auth === 'signed') return []
  if (auth === 'session' || auth === 'operator') return [{ session: [] }]
  if (auth === 'pat') return [{ pat: [] }]
  return auth === 'user' ? [{ pat: [] }, { session: [] }] : [{ [`${auth}Token`]: [] }]
}

/** Who may call an operation. Scopes are said here, as tools take those of a security requirement for OAuth's alone. */
function whoMayCall({ auth, scope, sameOrigin, recentSignIn, anySignInAge }: AnyOperation): string {
  if (auth === 'none') return sameOrigin ? 'Only the service’s own pages may call it.' : 'Anybody may call it.'
  if (auth === 'signed') return 'Its sender signs it.'
  const session = `a session${recentSignIn === true ? ' whose sign-in is ten minutes old at most' : ''}`
  const sometimes =
    typeof recentSignIn === 'object'
      ? ` A session’s sign-in must be ten minutes old at most when ${recentSignIn.when}.`
      : ''
  if (auth === 'session') return `Requires ${session}.${sometimes}`
  if (auth === 'operator')
    return `For operators of the service alone, signed in with a passkey${anySignInAge ? '' : ' within ten minutes'}.`
  if (auth === 'user')
    return `Requires ${session}, or a token${scope ? ` with the scope \`${scope}\`` : ''}.${sometimes}`
  if (auth === 'pat')
    return `Requires a token with the scope \`${scope}\`, as \`Authorization: Bearer\` or \`x-api-key\`.`
  return `Requires a machine token of the audience ${auth}.`
}

const header = (id: string, schema: z.ZodType, description: string, example: string | number) => ({
  [id]: schema.meta({ description, example, header: { id } }),
})

const count = () => z.int().min(0)
const baseHeaders = header(
  'X-Request-Id',
  z.string(),
  'Names this request in our logs.',
  '0b6b7a5e-7c0e-4a4e-9d8e-0d1c2b3a4f5e',
)
const limitHeaders = {
  ...header(
    'X-RateLimit-Limit',
    count(),
    'Requests allowed in any 60 seconds; one is counted for 60 to 75. All operations that show the same limit to a caller share it.',
    120,
  ),
  ...header('X-RateLimit-Remaining', count(), 'Requests left now; 0 where the status is 429.', 119),
  ...header('X-RateLimit-Reset', count(), 'Seconds until a slot frees; Retry-After where the status is 429.', 75),
}
const retryHeaders = header('Retry-After', count(), 'Seconds to wait.', 12)

const messages: Record<Code, string> = {
  unauthorized: 'Token or session missing, malformed, revoked or expired.',
  forbidden: 'The token lacks the scope, or the request does not come from our own pages.',
  'not-found': 'There is no such thing for this caller.',
  validation: 'A field failed validation; details holds the messages by field.',
  'invalid-json': 'The body is not parseable JSON.',
  'rate-limited': 'Too many requests; wait as long as Retry-After says.',
  'wallet-empty': 'The wallet is empty; top it up on the wallet page of the dashboard.',
  'spending-limit': 'A spending limit leaves too little; raise it on the wallet page, or wait until 00:00 UTC.',
  'wallet-suspended': 'All spending is stopped; answer any mail of ours.',
  'repeated-calls': 'The agent asks the same again and again; wait as long as Retry-After says, or write to it.',
  'provider-error': 'The model or billing provider failed; retry in 4, 8, 16, 32 seconds.',
  'too-large': 'More than one request may have, here or at the model provider; send less.',
  'missing-id': 'A required path or query parameter is absent.',
  conflict: 'The resource’s state conflicts with the request; read it again.',
  internal: 'Something failed on our side; try once more.',
}

/** An error as a caller gets it. */
const exampleOfError = (code: Code): DomainError =>
  code === 'validation'
    ? invalid('name', 'Use at least 1 character.')
    : statusOf[code] === 429
      ? new DomainError(code, `${messages[code].split(';')[0]}. Try again in 12 seconds.`, { retryAfterSeconds: 12 })
      : new DomainError(code, messages[code])

type ResponseObject = ZodOpenApiResponseObject

const shared = new Map<string, ResponseObject>()

/** How an operation tells an error at one of its addresses, where it is not told as everywhere. */
type TellAs = (error: DomainError) => object | undefined

/** The schema of an error that is told in this way, and what tells its response from others of the same codes. */
function shapeOf(told: object | undefined): [schema: z.ZodType, suffix: string] {
  if (!told) return [errorBody, '']
  if ('error_description' in told) return [oauthErrorBody, 'AsOauth']
  return [vendorErrorBody, 'type' in told ? 'AsAnthropic' : 'AsOpenai']
}

/** One error response for every operation that can answer just these codes with this status. */
function errorResponse(
  status: number,
  codes: Code[],
  tellAs: TellAs = () => undefined,
  refusals: readonly Refusal[] = [],
): ResponseObject {
  const names = codes.map((code) => code.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()))
  const errors = codes.map((code) => [code, exampleOfError(code)] as const)
  const [told] = errors.map(([, error]) => tellAs(error))
  const [schema, suffix] = shapeOf(told)
  const id = `${names.join('Or')}${refusals.length > 0 ? 'OrRefused' : ''}${suffix}`
  const said = [...codes.map((code) => [code, messages[code]]), ...refusals.map(({ code, text }) => [code, text])]
  const made = shared.get(id) ?? {
    id,
    description: said.map(([code, text]) => `\`${code}\`: ${text}`).join(' '),
    headers: z.object(status === 429 ? { ...baseHeaders, ...limitHeaders, ...retryHeaders } : baseHeaders),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries([
          ...errors.map(([code, error]) => [code, { value: tellAs(error) ?? toErrorBody(error) }]),
          ...refusals.map(({ code, body }) => [code, { value: body }]),
        ]),
      },
    },
  }
  shared.set(id, made)
  return made
}

/** What a provider may refuse, at an address that tells it with the provider's status. */
interface Refusal {
  code: string
  text: string
  body: object
}

/** The refusals that an address tells with this status, but for those whose code is one of ours. */
function refusalsOf({ refusals = [], errorAs }: AnyOperation, status: number, path: string): Refusal[] {
  return refusals.flatMap((refusal) => {
    const told = errorAs?.(refusal, statusOf[refusal.code], { target: path, headers: {} })
    if (told?.status !== status || !('type' in refusal) || typeof refusal.type !== 'string') return []
    return refusal.type in statusOf ? [] : { code: refusal.type, text: refusal.message, body: told.body }
  })
}

/** Error responses of an operation, for each status the codes that have it. */
function errorResponses(operation: AnyOperation, path: string): ZodOpenApiOperationObject['responses'] {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => statusOf[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const tellAs: TellAs = (error) => operation.errorAs?.(error, status, { target: path, headers: {} })?.body
      return [String(status), errorResponse(status, codes, tellAs, refusalsOf(operation, status, path))]
    }),
  )
}

/** What another protocol's server answers; a status that is one of our own too has either body. */
function protocolResponses(operation: AnyOperation): ZodOpenApiOperationObject['responses'] {
  const { answers, refusal } = operation.http.protocol ?? { answers: {}, refusal: z.null() }
  const ours = Map.groupBy(errorsOf(operation), (code) => statusOf[code] as number)
  return Object.fromEntries(
    Object.entries(answers).map(([status, said]) => {
      const own = errorResponse(Number(status), ours.get(Number(status)) ?? [])
      const schema = ours.has(Number(status)) ? z.union([errorBody, refusal]) : refusal
      const content = { 'application/json': { schema, example: exampleOf(refusal, 'output') } }
      const response = { description: `${own.description} ${said}`.trim(), headers: own.headers }
      return [status, Number(status) < 300 ? response : { ...response, content }]
    }),
  )
}

function successResponses(
  operation: AnyOperation,
  all: readonly AnyOperation[],
): ZodOpenApiOperationObject['responses'] {
  const { status, stream, text } = operation.http
  const statuses = typeof status === 'function' ? ['200', '202'] : [String(status ?? 200)]
  const counted = operation.limit && operation.admission !== 'secret'
  const headers = z.object(counted ? { ...baseHeaders, ...limitHeaders } : baseHeaders)
  const example = operation.example ?? exampleOf(operation.output, 'output')
  const content = {
    ...(stream === true && { 'text/event-stream': { schema: z.string() } }),
    ...(typeof stream === 'string' && { [stream]: { schema: z.string().meta({ format: 'binary' }) } }),
    ...(text && { [text.type]: { schema: operation.output } }),
    ...((!stream && !text) || operation.tool || operation.http.rawBody
      ? { 'application/json': { schema: operation.output, example } }
      : {}),
  }
  const descriptions: Record<string, string> = { '201': 'Created.', '202': 'Taken; the change is under way.' }
  return Object.fromEntries(
    statuses.map((code) => [
      code,
      {
        description: descriptions[code] ?? 'Done.',
        headers,
        ...(code === '204' ? {} : { content }),
        ...linksFrom(operation, all),
      },
    ]),
  )
}

const exampleOfParameter = (name: string, field: z.ZodType, path: string): unknown => {
  const noun = path.split('/').findLast((part) => part in idsByNoun)
  return name === 'id' && noun ? idsByNoun[noun] : exampleOf(field, 'input', name)
}

const describeId = (path: string) => {
  const noun = path.split('/').findLast((part) => part in idsByNoun) ?? ''
  return `Id of the ${noun.slice(0, -1).replace('-', ' ')}.`
}

/** Parameters, each with an example of its own. */
const withExamples = ({ shape }: z.ZodObject, path: string): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(
      Object.entries<z.ZodType>(shape as Record<string, z.ZodType>).map(([name, field]) => [
        name,
        field.meta()?.id
          ? field
          : field.meta({
              description: name === 'id' ? describeId(path) : undefined,
              ...field.meta(),
              example: exampleOfParameter(name, field, path),
            }),
      ]),
    ),
  )

const idempotencyKey = z.object({
  [idempotencyHeader]: z
    .string()
    .max(255)
    .optional()
    .meta({
      description:
        'A name of your own for this request, such as a UUID. Sent again within 24 hours by the same caller it is done once and answered as ' +
        'the first time; another request under it is a 409.',
      example: '0b3c5f9e-6a41-4a86-9d0e-0f7a6a1a2f55',
    }),
})

function describe(
  operation: AnyOperation,
  all: readonly AnyOperation[],
  area: string,
  path: string,
): ZodOpenApiOperationObject {
  const { id, http, summary, description, input, exampleInput } = operation
  const inPath = pathParameters(path)
  const shape: Record<string, z.ZodType> = input.shape
  const part = (keep: (name: string) => boolean) =>
    z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => keep(name))))
  const rest = part((name) => !inPath.includes(name))
  const hasRest = Object.keys(rest.shape).length > 0
  const body = http.rawBody ? z.record(z.string(), z.unknown()) : !inputInQuery(operation) && hasRest ? rest : null
  return {
    operationId:
      path === http.path
        ? id
        : `${id}${path.replace(/[^a-z0-9]+(\w|$)/gi, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: [description, whoMayCall(operation)].filter(Boolean).join('\n\n'),
    tags: [area],
    security: securityOf(operation),
    requestParams: {
      ...(inPath.length > 0 && {
        path: withExamples(
          part((name) => inPath.includes(name)),
          path,
        ),
      }),
      ...(inputInQuery(operation) && hasRest && { query: withExamples(rest, path) }),
      ...(operation.creates && { header: idempotencyKey }),
    },
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: body, example: exampleInput ?? exampleOf(body, 'input') } },
      },
    }),
    responses: {
      ...successResponses(operation, all),
      ...errorResponses(operation, path),
      ...protocolResponses(operation),
    },
  }
}

const scopeList = Object.entries(scopeLabels)
  .map(([scope, label]) => `- \`${scope}\`: ${label}.`)
  .join('\n')

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

/** What a webhook endpoint is sent. */
const toldEvent: ZodOpenApiOperationObject = {
  operationId: 'webhookEvent',
  summary: 'An event, sent to a webhook endpoint',
  description:
    'Signed as Standard Webhooks says, in `webhook-id`, `webhook-timestamp` and `webhook-signature`. Any 2xx within ten seconds ' +
    'takes it; else it is sent again for a day under the same `webhook-id`.',
  // The signature is its proof.
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: webhookEvent } } },
  responses: { '2XX': { description: 'Taken.' } },
}

/** The OpenAPI 3.1 document of these areas, derived from the operations' own declarations. */
export function openapiDocument(
  areas: readonly { name: string; operations: readonly AnyOperation[] }[],
  version: string,
) {
  const paths: ZodOpenApiPathsObject = {}
  const all = areas.flatMap(({ operations }) => operations)
  for (const area of areas) {
    for (const operation of area.operations) {
      for (const path of [operation.http.path, ...(operation.http.aliases ?? [])]) {
        const plain = path.replaceAll('+}', '}')
        paths[plain] = {
          ...paths[plain],
          [operation.http.method.toLowerCase()]: describe(operation, all, area.name, path),
        }
      }
    }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Berth',
      version,
      description:
        'Hosts one AI agent per user: a machine with its own volume and a prepaid wallet, over one account surface.\n\n' +
        'Every response that was counted against a limit carries the X-RateLimit headers, refusals included; a response without ' +
        'them was not counted: operations without a limit, callers nobody knows (401), and paths or methods that are not served. ' +
        'A tool of MCP counts as its operation here.\n\n' +
        'GET ignores query parameters it does not know and answers HEAD too; anything else refuses fields it does not know. A slash ' +
        'at the end of a path changes nothing. A method that a path does not serve is 405 with Allow and the code not-found.\n\n' +
        'A thing with an id is answered under its noun (`{ skill }`, `{ persona }`, `{ instance }`), a list under its plural. The body itself is ' +
        'what an account has one of (wallet, status, export), a token, and a checkout.\n\n' +
        'A list that takes `cursor` answers `nextCursor`, null at its end; other lists are whole.',
      contact: { name: 'Berth' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Berth' },
    },
    servers: [{ url: '/api' }],
    tags: areas
      .filter((area) => area.operations.length > 0)
      .map(({ name }) => ({ name, description: `Operations of ${name}.` })),
    paths,
    webhooks: { event: { post: toldEvent } },
    components: {
      securitySchemes: {
        pat: bearer(
          `A Personal Access Token: \`Authorization: Bearer oss_…\`. What it may do is what its scopes say:\n\n${scopeList}`,
        ),
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'service.session',
          description: 'The dashboard’s session cookie.',
        },
        llmToken: bearer('The machine token of the audience llm.'),
        filesToken: bearer('The machine token of the audience files.'),
        agentToken: bearer('The machine token of the audience agent.'),
      },
    },
  } satisfies ZodOpenApiObject
  return createDocument(document, { override: forClients })
}

import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import type { Code } from '../../domain/errors.ts'
import { errorBody, statusOf } from './errors.ts'
import { exampleOf } from './example.ts'
import { type AnyOperation, errorsOf, inputInQuery, pathParameters } from './operation.ts'

const securityOf = (one: AnyOperation): Record<string, string[]>[] => {
  if (one.auth === 'none' || one.auth === 'signed') return []
  if (one.auth === 'session') return [{ session: [] }]
  return one.auth === 'user' ? [{ pat: one.scope ? [one.scope] : [] }, { session: [] }] : [{ [`${one.auth}Token`]: [] }]
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
  ...header('X-RateLimit-Limit', count(), 'Requests allowed in a minute.', 120),
  ...header('X-RateLimit-Remaining', count(), 'Requests left in the present window.', 119),
  ...header('X-RateLimit-Reset', count(), 'Seconds until a slot frees.', 60),
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
  'provider-error': 'The model or billing provider failed; retry in 4, 8, 16, 32 seconds.',
  'missing-id': 'A required path or query parameter is absent.',
  conflict: 'The resource’s state conflicts with the request; read it again.',
  internal: 'Something failed on our side; try once more.',
}

type ResponseObject = ZodOpenApiResponseObject

const shared = new Map<string, ResponseObject>()

/** One error response for every operation that can answer just these codes with this status. */
function errorResponse(status: number, codes: Code[]): ResponseObject {
  const id = codes.map((code) => code.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())).join('Or')
  const made = shared.get(id) ?? {
    id,
    description: codes.map((code) => `\`${code}\`: ${messages[code]}`).join(' '),
    headers: z.object(status === 429 ? { ...baseHeaders, ...limitHeaders, ...retryHeaders } : baseHeaders),
    content: {
      'application/json': {
        schema: errorBody,
        examples: Object.fromEntries(codes.map((code) => [code, { value: { error: code, message: messages[code] } }])),
      },
    },
  }
  shared.set(id, made)
  return made
}

/** Error responses of an operation, one a status, its codes named. */
function errorResponses(one: AnyOperation): ZodOpenApiOperationObject['responses'] {
  const byStatus = Map.groupBy(errorsOf(one), (code) => statusOf[code])
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), errorResponse(status, codes)]))
}

function successResponses(one: AnyOperation): ZodOpenApiOperationObject['responses'] {
  const { status, stream, file } = one.http
  const statuses = typeof status === 'function' ? ['200', '202'] : [String(status ?? 200)]
  const headers = z.object(one.limit ? { ...baseHeaders, ...limitHeaders } : baseHeaders)
  const example = one.example ?? exampleOf(one.output, 'output')
  const content = {
    ...(stream && { 'text/event-stream': { schema: z.string() } }),
    ...(file && { [file.type]: { schema: one.output } }),
    ...((!stream && !file) || one.tool || one.http.rawBody
      ? { 'application/json': { schema: one.output, example } }
      : {}),
  }
  const words: Record<string, string> = {
    '200': 'Done.',
    '201': 'Created.',
    '202': 'Taken; the change is under way.',
    '204': 'Done.',
  }
  return Object.fromEntries(
    statuses.map((code) => [
      code,
      { description: words[code] ?? 'Done.', headers, ...(code === '204' ? {} : { content }) },
    ]),
  )
}

/** Parameters, each with an example of its own. */
const shown = ({ shape }: z.ZodObject): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(
      Object.entries<z.ZodType>(shape as Record<string, z.ZodType>).map(([name, field]) => [
        name,
        field.meta()?.id ? field : field.meta({ ...field.meta(), example: exampleOf(field, 'input') }),
      ]),
    ),
  )

function describe(one: AnyOperation, area: string, path: string): ZodOpenApiOperationObject {
  const inPath = pathParameters(path)
  const shape: Record<string, z.ZodType> = one.input.shape
  const part = (keep: (name: string) => boolean) =>
    z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => keep(name))))
  const rest = part((name) => !inPath.includes(name))
  const hasRest = Object.keys(rest.shape).length > 0
  const body = one.http.rawBody ? z.record(z.string(), z.unknown()) : !inputInQuery(one) && hasRest ? rest : null
  return {
    operationId:
      path === one.http.path
        ? one.id
        : `${one.id}${path.replace(/[^a-z0-9]+(\w)/gi, (_, letter: string) => letter.toUpperCase())}`,
    summary: one.summary,
    ...(one.description && { description: one.description }),
    tags: [area],
    security: securityOf(one),
    requestParams: {
      ...(inPath.length > 0 && { path: shown(part((name) => inPath.includes(name))) }),
      ...(inputInQuery(one) && hasRest && { query: shown(rest) }),
    },
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: body, example: one.exampleInput ?? exampleOf(body, 'input') } },
      },
    }),
    responses: { ...successResponses(one), ...errorResponses(one) },
  }
}

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

/** The OpenAPI 3.1 document of these areas, derived from the operations' own declarations. */
export function openapiDocument(
  areas: readonly { name: string; operations: readonly AnyOperation[] }[],
  version: string,
) {
  const paths: ZodOpenApiPathsObject = {}
  for (const area of areas) {
    for (const one of area.operations) {
      for (const path of [one.http.path, ...(one.http.aliases ?? [])]) {
        const plain = path.replaceAll('+}', '}')
        paths[plain] = { ...paths[plain], [one.http.method.toLowerCase()]: describe(one, area.name, path) }
      }
    }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Berth',
      version,
      description:
        'Hosts one AI agent per user: a machine with its own volume and a prepaid wallet, over one account surface.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Berth' },
    },
    servers: [{ url: '/api' }],
    tags: areas
      .filter((area) => area.operations.length > 0)
      .map(({ name }) => ({ name, description: `Operations of ${name}.` })),
    paths,
    components: {
      securitySchemes: {
        pat: bearer('A Personal Access Token: `Authorization: Bearer oss_…`.'),
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
  })
}

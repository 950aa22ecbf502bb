import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { cookieName } from '../../domain/account/cookie-name.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Area } from './area.ts'
import { forClients } from './client-schema.ts'
import { idempotencyHeader } from './idempotency.ts'
import { ErrorResponses } from './openapi-errors.ts'
import { baseHeaders, limitHeaders } from './openapi-headers.ts'
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

/** The text names scopes, because tools read those of a security requirement only for OAuth. */
function whoMayCall({ auth, scope, sameOrigin, recentSignIn, anySignInAge }: AnyOperation): string {
  if (auth === 'none') return sameOrigin ? 'Only the service’s own pages may call it.' : 'Requires no sign-in.'
  if (auth === 'signed') return 'The sender signs the request.'
  const session = `a session${recentSignIn === true ? ' with a sign-in at most ten minutes old' : ''}`
  const sometimes =
    typeof recentSignIn === 'object'
      ? ` A session’s sign-in must be at most ten minutes old when ${recentSignIn.when}.`
      : ''
  if (auth === 'session') return `Requires ${session}.${sometimes}`
  if (auth === 'operator')
    return `Only for operators of the service, signed in with a passkey${anySignInAge ? '' : ' within the last ten minutes'}.`
  if (auth === 'user')
    return `Requires ${session}, or a token${scope ? ` with the scope \`${scope}\`` : ''}.${sometimes}`
  if (auth === 'pat')
    return `Requires a token with the scope \`${scope}\`, as \`Authorization: Bearer\` or \`x-api-key\`.`
  return `Requires a machine token of the audience ${auth}.`
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
  const descriptions: Record<string, string> = { '201': 'Created.', '202': 'Accepted; the change is in progress.' }
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
  const parts = path.split('/')
  const noun = parts[parts.indexOf('{id}') - 1] ?? parts.at(-1) ?? ''
  return `Id of the ${noun.replace(/ies$/, 'ys').slice(0, -1).replace('-', ' ')}.`
}

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
        'A name that you choose for this request, such as a UUID. If the same caller repeats the request with it ' +
        'within 24 hours, the request is executed only once and gets the same answer. A different request with the ' +
        'same name gets a 409.',
      example: '0b3c5f9e-6a41-4a86-9d0e-0f7a6a1a2f55',
    }),
})

/** Requests that the service sends to an address in the operation's input. */
const callbacksOf = ({ callback }: AnyOperation): ZodOpenApiOperationObject['callbacks'] =>
  callback && {
    [callback.id]: {
      [`{$request.body#/${callback.to}}`]: {
        post: {
          operationId: callback.id,
          summary: callback.summary,
          description: callback.description,
          // The signature is its proof.
          security: [],
          requestBody: { required: true, content: { 'application/json': { schema: callback.body } } },
          responses: {
            '2XX': { description: 'Accepted.' },
            '4XX': { description: 'Not accepted; the event will be retried.' },
          },
        },
      },
    },
  }

const bodyExample = (example: object, inPath: readonly string[]): object =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !inPath.includes(name)))

function describe(
  operation: AnyOperation,
  { all, errors }: { all: readonly AnyOperation[]; errors: ErrorResponses },
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
  const pathAlone = exampleOf(
    part((name) => inPath.includes(name)),
    'input',
  )
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
        required: http.rawBody ? false : !input.safeParse(pathAlone).success,
        content: {
          'application/json': {
            schema: body,
            example: exampleInput ? bodyExample(exampleInput, inPath) : exampleOf(body, 'input'),
          },
        },
      },
    }),
    responses: {
      ...successResponses(operation, all),
      ...errors.of(operation, path),
      ...errors.ofProtocol(operation),
    },
    callbacks: callbacksOf(operation),
  }
}

const scopeList = Object.entries(scopeLabels)
  .map(([scope, label]) => `- \`${scope}\`: ${label}.`)
  .join('\n')

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

export function openapiDocument(
  areas: readonly Pick<Area, 'name' | 'tag' | 'about' | 'operations'>[],
  version: string,
) {
  const paths: ZodOpenApiPathsObject = {}
  const described = { all: areas.flatMap(({ operations }) => operations), errors: new ErrorResponses() }
  for (const area of areas) {
    for (const operation of area.operations) {
      for (const path of [operation.http.path, ...(operation.http.aliases ?? [])]) {
        const plain = path.replaceAll('+}', '}')
        paths[plain] = {
          ...paths[plain],
          [operation.http.method.toLowerCase()]: describe(operation, described, area.tag ?? area.name, path),
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
        'Berth hosts one AI agent per user: a machine with its own volume, and a prepaid wallet that pays for model calls. ' +
        'Examples, webhooks, events, errors and limits are at [/docs](/docs).\n\n' +
        '**Limits.** Every response that counts towards a rate limit has the `X-RateLimit` headers, refusals included. ' +
        'Operations without a limit, callers without a valid token (401), and unknown paths are not counted. An MCP tool counts ' +
        'as its operation here. Limits belong to users: a new token or session has no new limit.\n\n' +
        '**Requests.** GET ignores unknown query parameters and answers HEAD too. All other methods refuse unknown fields. ' +
        'A slash at the end of a path changes nothing. A method that a path does not serve gets 405, with `Allow` and the code `not-found`.\n\n' +
        '**Responses.** A thing with an id is returned under its noun (`{ skill }`, `{ persona }`, `{ instance }`), and a list ' +
        'under its plural. Things that an account has once (wallet, status, export), a token and a checkout are the body itself. ' +
        'A list that accepts `cursor` returns `nextCursor`, which is null at the end. Other lists are complete.',
      contact: { name: 'Berth' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api' }],
    externalDocs: { url: '/docs', description: 'Examples, webhooks, events, errors and limits.' },
    tags: areas
      .filter(({ operations, tag }) => operations.length > 0 && !tag)
      .map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        pat: bearer(
          `A Personal Access Token: \`Authorization: Bearer oss_…\`. What it may do is what its scopes say:\n\n${scopeList}`,
        ),
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName('session', false),
          description:
            `The dashboard’s session cookie, named \`${cookieName('session', true)}\` in production and \`${cookieName('session', false)}\` on a laptop. ` +
            'With it, any request but GET and HEAD must have an `Origin` header that is the dashboard’s own origin, as browsers send it; else it is 403 `forbidden`.',
        },
        llmToken: bearer('The machine token of the audience llm.'),
        filesToken: bearer('The machine token of the audience files.'),
        agentToken: bearer('The machine token of the audience agent.'),
      },
    },
  } satisfies ZodOpenApiObject
  return createDocument(document, { override: forClients })
}

import * as z from 'zod'
import { refusalTypes, refusalTypesByStatus } from '../../../domain/models/provider-refusal.ts'
import { scopes } from '../../../domain/scopes.ts'
import { areas, operations } from '../../../lambdas/areas.ts'
import { errorBody, errorsOf, statusOf } from '../../../lambdas/kit/errors.ts'
import { openapiDocument } from '../../../lambdas/kit/openapi.ts'
import { inputInQuery } from '../../../lambdas/kit/parameters.ts'
import { exampleOf } from '../../../lambdas/kit/schema-example.ts'

interface Part {
  example?: unknown
  examples?: Record<string, { value: unknown }>
  headers?: object
  content?: Record<string, Part>
  schema?: object
  operationId?: string
  parameters?: Part[]
  requestBody?: Part
  responses?: Record<string, Part & { $ref?: string; description?: string; links?: Links }>
  security?: Record<string, string[]>[]
}
type Links = Record<string, { parameters: { id: string } }>
type Schema = Record<string, unknown>
// safe because only these parts of a document are read here
const document = openapiDocument(areas, '1.0.0') as unknown as {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Part>>
  components: { securitySchemes: Record<string, unknown>; responses: Record<string, Part & { description: string }> }
}
const described = operations.map((operation) => [operation.id, operation] as const)
/** Every schema of the document, with its place. */
function schemasIn(part: unknown, where = ''): [string, Schema][] {
  if (typeof part !== 'object' || part === null || /\/examples?$/.test(where)) return []
  const below = Object.entries(part).flatMap(([name, value]) => schemasIn(value, `${where}/${name}`))
  return /\/(schema|schemas\/\w+|properties\/[\w-]+|items|additionalProperties|(any|one|all)Of\/\d+)$/.test(where)
    ? [[where, part as Schema], ...below] // safe because schemas occur only in these places
    : below
}
const schemas = schemasIn(document)
const typesOf = ({ type }: Schema) => [type].flat().filter(Boolean)

const at = (path: string, method: string): Part =>
  document.paths[path.replaceAll('+}', '}')]?.[method.toLowerCase()] ?? {}

describe('the API document', () => {
  test.each(described)('%s has examples that its own schemas accept', (_, operation) => {
    const { requestBody, parameters = [], responses = {} } = at(operation.http.path, operation.http.method)
    const input = operation.exampleInput ?? exampleOf(operation.input, 'input')
    if (!operation.http.rawBody) expect(operation.input.safeParse(input).error?.message).toBeUndefined()
    for (const parameter of parameters)
      expect([parameter, JSON.stringify(parameter).includes('"example')]).toEqual([parameter, true])
    if (requestBody) expect(requestBody.content?.['application/json']?.example).toBeDefined()
    const [, success] = Object.entries(responses)[0] ?? []
    const json = success?.content?.['application/json']
    if (!json) return
    expect(operation.output.safeParse(json.example).error?.message).toBeUndefined()
    expect(z.json().safeParse(json.example).success).toBe(true)
  })

  test.each(described)('%s returns a nextCursor exactly when it accepts a cursor', (_, operation) => {
    const shown = JSON.stringify(z.toJSONSchema(operation.output, { io: 'output', unrepresentable: 'any' }))
    expect(shown.includes('nextCursor')).toBe('cursor' in operation.input.shape)
  })

  test('has one type per value, with or without null, so that generators can name it', () => {
    expect(schemas.length).toBeGreaterThan(900)
    for (const [where, schema] of schemas) {
      expect([where, typesOf(schema).filter((type) => type !== 'null').length <= 1]).toEqual([where, true])
      const parts = ((schema.anyOf ?? []) as Schema[]).filter(({ type }) => type !== 'null') // safe because it is a list of schemas
      const named = parts.length !== 1 || '$ref' in (parts[0] ?? {})
      expect([where, named]).toEqual([where, true])
      if (Array.isArray(schema.enum))
        expect([where, schema.enum.includes(null)]).toEqual([where, typesOf(schema).includes('null')])
    }
  })

  test('counts in 64 bits, has no limits of JavaScript alone, and only scalar defaults', () => {
    for (const [where, schema] of schemas) {
      if (typesOf(schema).includes('integer')) expect([where, schema.format]).toEqual([where, 'int64'])
      expect([where, Math.abs(Number(schema.maximum ?? 0)) < Number.MAX_SAFE_INTEGER]).toEqual([where, true])
      expect([where, typeof schema.default]).not.toEqual([where, 'object'])
      expect([where, 'format' in schema && 'pattern' in schema]).toEqual([where, false])
    }
  })

  test.each(described)('%s describes its parameters and names its scope', (_, operation) => {
    const { parameters = [], description } = at(operation.http.path, operation.http.method) as Part & {
      description?: string
    }
    for (const parameter of parameters) expect(parameter).toHaveProperty('description', expect.stringMatching(/\w/))
    expect(description).toContain(operation.scope ? `scope \`${operation.scope}\`` : '')
  })

  test('links a response to the operations for the id in it', () => {
    const linked = (path: string, method: string, status: string) =>
      Object.entries(at(path, method).responses?.[status]?.links ?? {}).map(([name, { parameters }]) => [
        name,
        parameters.id,
      ])
    expect(linked('/instance/schedules', 'POST', '201')).toEqual(
      ['deleteSchedule', 'updateSchedule', 'runSchedule'].map((name) => [name, '$response.body#/schedule/id']),
    )
    expect(linked('/instance/export', 'POST', '202')).toEqual([['getFilesTask', '$response.body#/task/id']])
    const mintedLinks = ['revokeToken', 'changeToken', 'rerollToken'].map((name) => [name, '$response.body#/id'])
    expect(linked('/tokens', 'POST', '201')).toEqual(mintedLinks)
    expect(linked('/instance/schedules', 'GET', '200')).toEqual([])
    expect(linked('/instance/schedules/{id}', 'DELETE', '200')).toEqual([])
    const ids = operations.map(({ id }) => id)
    const links = operations.flatMap(({ http }) => Object.values(at(http.path, http.method).responses ?? {}))
    for (const { links: made = {} } of links) expect(ids).toEqual(expect.arrayContaining(Object.keys(made)))
  })

  test('describes errors as each address returns them, in vendors’ formats where those apply', () => {
    const refused = (path: string) => at(path, 'POST').responses?.['401']?.$ref?.split('/').at(-1)
    expect(refused('/llm/proxy')).toBe('Unauthorized')
    expect(refused('/llm/proxy/v1/chat/completions')).toBe('UnauthorizedAsOpenai')
    expect(refused('/llm/proxy/v1/messages')).toBe('UnauthorizedAsAnthropic')
    const { UnauthorizedAsAnthropic: made } = document.components.responses as Record<string, Part> // safe because they are parts
    const { examples, schema } = made?.content?.['application/json'] ?? {}
    expect(schema).toEqual({ $ref: '#/components/schemas/VendorError' })
    expect(examples?.unauthorized?.value).toMatchObject({ type: 'error', error: { code: 'unauthorized' } })
  })

  const responseOf = ({ $ref }: { $ref?: string } = {}): Part & { description: string } =>
    document.components.responses[$ref?.split('/').at(-1) ?? ''] ?? { description: '' }

  test('lists each error type of a provider at the address of its SDK, by status', () => {
    const addresses = ['/v1/messages', '/v1/chat/completions', '/llm/proxy/v1/responses', '/v1/embeddings']
    for (const path of addresses)
      for (const [status, types] of Object.entries(refusalTypesByStatus)) {
        const { description, content } = responseOf(at(path, 'POST').responses?.[status])
        const { examples = {} } = content?.['application/json'] ?? {}
        for (const type of types) {
          expect([path, status, description]).toEqual([path, status, expect.stringContaining(`\`${type}\``)])
          expect(examples[type]?.value).toMatchObject({ error: { code: type } })
        }
      }
    expect(Object.values(refusalTypesByStatus).flat()).toEqual(expect.arrayContaining(Object.keys(refusalTypes)))
    expect(responseOf(at('/llm/proxy', 'POST').responses?.['400']).description).not.toContain('context_length')
  })

  test.each(described)(
    '%s declares 405, 417 and, when refusals are counted, the headers of that limit',
    (_, operation) => {
      const { responses = {} } = at(operation.http.path, operation.http.method)
      const otherwise = responseOf(responses.default)
      expect(otherwise.description).toMatch(/405 `not-found`.* 417 `validation`/)
      expect(otherwise.headers).toHaveProperty('Allow')
      for (const [status, response] of Object.entries(responses)) {
        if (!/^[45]/.test(status) || operation.http.protocol) continue
        const names = Object.keys(responseOf(response).headers ?? {}).filter((name) => name.startsWith('X-RateLimit-'))
        const isCounted = operation.limit !== null && (status !== '401' || operation.admission === 'secret')
        expect([status, names.length]).toEqual([status, isCounted ? 3 : 0])
      }
    },
  )

  test('names the session cookie, and the header that a write with it requires', () => {
    const { session } = document.components.securitySchemes
    expect(session).toMatchObject({
      name: 'service.session',
      description: expect.stringContaining('`__Secure-service.session`'),
    })
    expect(session).toHaveProperty(
      'description',
      expect.stringMatching(/any request but GET and HEAD must have an `Origin`/),
    )
  })

  test('has operation ids that generators can use', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((part) => part.operationId),
    )
    expect(ids.filter((id) => !/^[A-Za-z0-9]+$/.test(id ?? ''))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('says in a sentence what each tag and each operation is', () => {
    const isSentence = (text: string) => /^\p{Lu}.{15,}[.]$/u.test(text)
    expect(document.tags.length).toBeGreaterThan(15)
    expect(document.tags.filter(({ description }) => !isSentence(description))).toEqual([])
    expect(operations.filter(({ summary }) => !/^\p{Lu}.*\s.*[^.]$/u.test(summary)).map(({ id }) => id)).toEqual([])
  })

  test('explains each scope', () => {
    const { pat } = document.components.securitySchemes as { pat: { description: string } } // safe because it is one of them
    for (const scope of scopes) expect(pat.description).toMatch(new RegExp(`\`${scope.replace('*', '\\*')}\`: \\w`))
  })

  test('has an example for every text', () => {
    expect(JSON.stringify(document)).not.toContain('no example')
  })

  test('returns an object with an id under its noun, except tokens, checkouts, upload URLs and vendors’ SDK responses', () => {
    const bare = operations.filter(
      ({ http, output }) => !http.stream && output instanceof z.ZodObject && 'id' in output.shape,
    )
    const tokens = ['mintToken', 'changeToken', 'rerollToken', 'revokeToken']
    const fixed = [...tokens, 'createWalletTopup', 'createSubscriptionCheckout', 'endSession']
    fixed.push('getMachineModel', 'getApiModel', 'signCallBody')
    expect(bare.map(({ id }) => id).sort()).toEqual(fixed.sort())
  })

  test('lists only errors that are returned, with their fields or the seconds to wait', () => {
    for (const [name, response] of Object.entries(document.components.responses)) {
      if (/As(Openai|Anthropic|Oauth)$/.test(name)) continue
      const { examples = {} } = (response as Part).content?.['application/json'] ?? {}
      for (const [code, { value }] of Object.entries(examples)) {
        const body = errorBody.strict().parse(value)
        expect([name, body.error]).toEqual([name, code])
        expect([code, body.details !== undefined]).toEqual([code, code === 'validation'])
        const status = statusOf[code as keyof typeof statusOf] // safe because it is a code of the document
        expect([code, body.retryAfterSeconds !== undefined]).toEqual([code, status === 429])
      }
    }
  })

  test.each(described)('%s names its errors, headers and callers', (_, operation) => {
    const { responses = {}, security } = at(operation.http.path, operation.http.method)
    const said = Object.values(responses)
      .map(
        ({ $ref, description }) =>
          document.components.responses[$ref?.split('/').at(-1) ?? '']?.description ?? description,
      )
      .join(' ')
    for (const code of errorsOf(operation)) expect(said).toContain(`\`${code}\``)
    const success = JSON.stringify(Object.values(responses)[0]?.headers ?? {})
    expect(success).toContain('X-Request-Id')
    expect(success.includes('X-RateLimit-Remaining')).toBe(operation.limit !== null && operation.admission !== 'secret')
    expect(security?.length === 0).toBe(operation.auth === 'none' || operation.auth === 'signed')
    for (const scheme of (security ?? []).flatMap(Object.keys))
      expect(document.components.securitySchemes).toHaveProperty([scheme])
    expect(at(operation.http.path, operation.http.method).requestBody !== undefined).toBe(
      operation.http.rawBody === true ||
        (!inputInQuery(operation) &&
          Object.keys(operation.input.shape).some((name) => !operation.http.path.includes(`{${name}`))),
    )
  })
})

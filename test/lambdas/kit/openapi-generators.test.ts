import { Ajv2020 } from 'ajv/dist/2020.js'
import { areas } from '../../../lambdas/areas.ts'
import { openapiDocument } from '../../../lambdas/kit/openapi.ts'
import { collisions, type Document, type Schema } from './generated-names.ts'

// safe because only these parts of it are read here
const document = openapiDocument(areas, '1.0.0') as unknown as Document

/** Every object of a document with its JSON pointer; examples are left out because they are data. */
function partsOf(part: unknown, pointer = ''): [string, Record<string, unknown>][] {
  if (typeof part !== 'object' || part === null) return []
  const below = Object.entries(part).flatMap(([name, value]) =>
    /^examples?$/.test(name) && !pointer.endsWith('/properties')
      ? []
      : partsOf(value, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return [[pointer, part as Record<string, unknown>], ...below] // safe because it is an object, and lists have names too
}
const parts = partsOf(document)

describe('the API document, for client generators', () => {
  test('leads no generator to a made-up name of a component, or to one name twice', () => {
    expect(collisions(document)).toEqual([])
  })

  const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
  const status = { type: 'string', enum: ['one', 'two'] }
  test.each<[string, Record<string, Schema>]>([
    ['https://github.com/oapi-codegen/oapi-codegen/issues/832', { Document: object({ status }), DocumentStatus: {} }],
    [
      'https://github.com/openapi-generators/openapi-python-client/issues/323',
      { Entity: object({ schema: { allOf: [{ $ref: '#/components/schemas/Summary' }] } }), EntitySchema: {} },
    ],
    ['https://github.com/orval-labs/orval/issues/693', { A_User: object({ type: status }), A_UserType: status }],
    [
      'https://github.com/kubb-labs/kubb/issues/3362',
      { Page: object({ items: { type: 'array', items: object({ status }) } }), PageItemsItemStatus: {} },
    ],
  ])('has no collision like that of %s unnoticed', (_, schemas) => {
    expect(collisions({ paths: {}, components: { schemas, responses: {} } })).toHaveLength(1)
  })

  // https://github.com/OpenAPITools/openapi-generator/issues/18093 is the same problem with allOf.
  test('has no default next to a union, because generators write it as a value without a type', () => {
    const wrong = parts.filter(
      ([, part]) => 'default' in part && ['anyOf', 'oneOf', 'allOf', '$ref'].some((name) => name in part),
    )
    expect(wrong.map(([pointer]) => pointer)).toEqual([])
  })

  // Generators omit components without a path to them: https://github.com/oapi-codegen/oapi-codegen/pull/154,
  // https://github.com/doordash-oss/oapi-codegen-dd/pull/62
  test('reaches every component from a path', () => {
    const reached = new Set<string>()
    const follow = (part: unknown): void => {
      for (const [, { $ref }] of partsOf(part)) {
        if (typeof $ref !== 'string' || reached.has($ref)) continue
        reached.add($ref)
        const [kind = '', id = ''] = $ref.split('/').slice(2)
        // safe because a missing part is undefined
        follow((document.components as Record<string, Record<string, unknown>>)[kind]?.[id])
      }
    }
    follow(document.paths)
    const all = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((id) => `#/components/${kind}/${id}`))
    expect(all.filter((ref) => !reached.has(ref))).toEqual([])
    expect(reached.size).toBeGreaterThan(100)
  })

  test('has only examples that are valid by their own schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema(document, 'document')
    let tried = 0
    for (const [pointer, part] of parts) {
      // safe because each is checked before it is used
      const { schema, example, examples, type } = part as Record<string, object>
      const isSchema =
        type !== undefined && !('schema' in part) && example !== undefined && !/\/(examples?)$/.test(pointer)
      if (!schema && !isSchema) continue
      // safe because the document has this form
      const named = Object.values(examples ?? {}).map((each) => (each as { value: unknown }).value)
      const values = [...('example' in part ? [example] : []), ...(schema ? named : [])]
      const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}${schema ? '/schema' : ''}` })
      for (const value of values) {
        tried++
        validate(value)
        expect([pointer, value, validate.errors ?? null]).toEqual([pointer, value, null])
      }
    }
    expect(tried).toBeGreaterThan(600)
  })

  test('has no body example with a parameter of the path', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { requestBody } of Object.values(methods))
        for (const content of Object.values(requestBody?.content ?? {})) {
          const example = Object.keys((content as { example?: object }).example ?? {}) // safe because an example of a body is an object
          expect([path, example.filter((name) => path.includes(`{${name}}`))]).toEqual([path, []])
        }
  })
})

/** Names that client generators make up for unnamed schemas of a document, in each generator's style. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
}
type Content = Record<string, { schema?: Schema }>
interface Described {
  operationId: string
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
  callbacks?: Record<string, Record<string, Record<string, Described>>>
}
export interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; responses: Record<string, object> }
}

/** A name that a generator makes up, and its place in the document. */
interface GeneratedName {
  name: string
  place: string
}

const pascal = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Names of nested schemas: `<Parent><Property>`, and `<Parent>Item` in a list. */
function inside(schema: Schema | boolean | undefined, name: string, place: string): GeneratedName[] {
  if (typeof schema !== 'object' || schema.$ref) return []
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([property, part]) =>
      named(part, `${name}${pascal(property)}`, `${place}.${property}`),
    ),
    ...named(schema.items, `${name}Item`, `${place}[]`),
    ...named(schema.additionalProperties, `${name}Value`, `${place}{}`),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part, i) => [
      ...inside(part, name, place),
      ...named(part, `${name}${i}`, `${place}|${i}`),
      ...named(part, `${name}Type${i}`, `${place}|${i}`),
    ]),
  ]
}

/** The same with the schema's own name, which a plain value does not get. */
function named(schema: Schema | boolean | undefined, name: string, place: string): GeneratedName[] {
  if (typeof schema !== 'object' || schema.$ref) return []
  const { enum: values, anyOf, oneOf, allOf, properties, additionalProperties } = schema
  const isPlain = !(values ?? anyOf ?? oneOf ?? allOf ?? properties ?? additionalProperties)
  return [...(isPlain ? [] : [{ name, place }]), ...inside(schema, name, place)]
}

const schemasOf = (content: Content = {}): Schema[] => Object.values(content).flatMap(({ schema }) => schema ?? [])

/** Names for one operation: its request, its parameters, and each response with its nested schemas. */
function ofOperation({ operationId, parameters = [], requestBody, responses }: Described): GeneratedName[] {
  const op = pascal(operationId)
  const fixed = [
    // oapi-codegen: types and functions share the package.
    ...['Params', 'JSONBody', 'JSONRequestBody', 'Response'].map((suffix) => `${op}${suffix}`),
    ...[`New${op}Request`, `New${op}RequestWithBody`, `Parse${op}Response`],
    // openapi-generator and openapi-python-client
    ...[`${op}Request`, `Api${op}Request`, `${op}Body`],
    // @hey-api/openapi-ts
    ...['Data', 'Responses', 'Error', 'Errors'].map((suffix) => `${op}${suffix}`),
  ].map((name) => ({ name, place: operationId }))
  const bodies = schemasOf(requestBody?.content).flatMap((schema) =>
    ['JSONBody', 'Request', 'Body'].flatMap((suffix) => inside(schema, `${op}${suffix}`, `${operationId} body`)),
  )
  const asked = parameters
    .filter(({ schema }) => schema)
    .flatMap(({ name, schema }) =>
      ['', 'Params'].flatMap((part) => named(schema, `${op}${part}${pascal(name)}`, `${operationId} ${name}`)),
    )
  const answered = Object.entries(responses).flatMap(([status, { $ref, content }]) =>
    $ref
      ? []
      : [`${op}${status}`, `${op}Response${status}`, `${op}${status}Response`, `${op}JSON${status}`].flatMap((name) => [
          { name, place: `${operationId} ${status}` },
          ...schemasOf(content).flatMap((schema) => inside(schema, name, `${operationId} ${status}`)),
        ]),
  )
  return [...fixed, ...bodies, ...asked, ...answered]
}

const operationsOf = (document: Document): Described[] =>
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => [
      operation,
      ...Object.values(operation.callbacks ?? {})
        .flatMap((callback) => Object.values(callback))
        .flatMap((methods) => Object.values(methods)),
    ])

/** Every name that is made up for a document. */
const generatedNames = (document: Document): GeneratedName[] => [
  ...Object.entries(document.components.schemas).flatMap(([id, schema]) => inside(schema, pascal(id), id)),
  ...operationsOf(document).flatMap(ofOperation),
]

/** Made-up names that a component also has, or that two places share. */
export function collisions(document: Document): string[] {
  const components = Object.entries(document.components)
    .filter(([kind]) => kind === 'schemas' || kind === 'responses')
    .flatMap(([kind, all]) => Object.keys(all).map((id) => ({ name: pascal(id), place: `${kind}/${id}` })))
  const byName = Map.groupBy([...components, ...generatedNames(document)], ({ name }) => name.toLowerCase())
  return [...byName.values()].flatMap((all) => {
    const places = [...new Set(all.map(({ place }) => place))]
    return places.length > 1 ? `${all[0]?.name}: ${places.join(', ')}` : []
  })
}

import { readFile, writeFile } from 'node:fs/promises'
import { areas } from '../lambdas/areas.ts'
import { openapiDocument } from '../lambdas/kit/openapi.ts'
import type { AnyOperation } from '../lambdas/kit/operation.ts'

/** Writes the operations of @berth/client from the OpenAPI document; with --check it compares instead. */
const file = new URL('../clients/typescript/operations.ts', import.meta.url)

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
}
type Content = Record<string, { schema: Schema }>
interface Described {
  summary: string
  description?: string
  parameters?: { $ref?: string; in: string; name: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
// safe because these are the parts that openapiDocument writes, as its tests hold
const document = openapiDocument(areas, '1') as unknown as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.trim().replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n` : ''

const used = new Set<string>()

/** The TypeScript type of a schema. Collects the components that it names. */
function typeOf(schema: Schema | boolean | undefined, indent = ''): string {
  if (typeof schema !== 'object') return 'unknown'
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    used.add(name)
    return name
  }
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.map((option) => typeOf(option, indent)).join(' | ')
  const types = [schema.type ?? []].flat().map((type) => typeNamed(type, schema, indent))
  return types.join(' | ') || 'unknown'
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return `Array<${typeOf(schema.items, indent)}>`
  return type === 'object' ? objectType(schema, indent) : type
}

function objectType({ properties, additionalProperties, required = [] }: Schema, indent: string): string {
  const others = typeOf(additionalProperties, indent)
  if (!properties) return others === 'unknown' ? 'object' : `Record<string, ${others}>`
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const says = comment(field.description, `${indent}  `)
    return `${says}${indent}  ${key}${required.includes(name) ? '' : '?'}: ${typeOf(field, `${indent}  `)}\n`
  })
  return fields.length > 0 ? `{\n${fields.join('')}${indent}}` : 'Record<never, never>'
}

function inputOf({ parameters = [], requestBody }: Described): Schema {
  const sent = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
  const body = requestBody?.content['application/json']?.schema
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(sent.map(({ name, schema, description }) => [name, { ...schema, description }])),
      ...body?.properties,
    },
    required: [...sent.filter(({ required }) => required).map(({ name }) => name), ...(body?.required ?? [])],
  }
}

/** Operations for the account's owner. Machines and other protocols have their own clients. */
const isForClients = ({ auth, http }: AnyOperation) =>
  ['none', 'session', 'user', 'operator'].includes(auth) && !http.rawBody && http.path !== '/mcp'

function written({ id, http }: AnyOperation) {
  const path = http.path.replaceAll('+}', '}')
  const described = document.paths[path]?.[http.method.toLowerCase()]
  if (!described) throw new Error(`${id} is not in the document`)
  const success = Object.entries(described.responses).find(([status]) => status.startsWith('2'))?.[1]
  const json = success?.content?.['application/json']
  const kind = http.stream ? 'stream' : http.text ? 'text' : 'json'
  const output = { stream: 'Response', text: 'string', json: typeOf(json?.schema, '    ') }[kind]
  const says = comment([described.summary, described.description].filter(Boolean).join('\n\n'), '  ')
  return {
    type: `${says}  ${id}: {\n    input: ${typeOf(inputOf(described), '    ')}\n    output: ${output}\n  }\n`,
    address: `  ${id}: ['${http.method}', '${http.path}', '${kind}'],\n`,
  }
}

const operations = areas.flatMap((area) => area.operations.filter(isForClients)).map(written)
const errorCodes = `export type ErrorCode = ${(await import('../domain/errors.ts')).codes.map((code) => `'${code}'`).join(' | ')}`
const components: string[] = []
for (const name of used) {
  const { description, ...schema } = document.components.schemas[name] ?? {}
  components.push(`${comment(description, '')}export type ${name} = ${typeOf(schema)}\n`)
}
const text = `// Generated from the operations by "npm run generate"; do not edit.

${errorCodes}

${components.sort().join('\n')}
/** Input and output of each operation. */
export interface Operations {
${operations.map(({ type }) => type).join('\n')}}

/** Method, path below the API's root, and how the answer is read. */
export const addresses = {
${operations.map(({ address }) => address).join('')}} as const satisfies Record<keyof Operations, readonly [string, string, 'json' | 'text' | 'stream']>
`

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error('@berth/client is not what the operations make. Run "npm run generate" and commit it.')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
}

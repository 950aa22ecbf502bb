import * as z from 'zod'

/** As much of JSON Schema as our schemas come to. */
interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  example?: unknown
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  type?: string | string[]
  format?: string
  pattern?: string
  minLength?: number
  minimum?: number
  exclusiveMinimum?: number
  minItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

const ulid = '01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const prefixes = [
  'usr',
  'ins',
  'txn',
  'chk',
  'call',
  'msg',
  'prm',
  'evt',
  'tsk',
  'rpt',
  'sch',
  'rst',
  'pnt',
  'req',
  'ses',
]

/** Texts of the shapes our patterns ask for; the first that fits a pattern is its example. */
const texts = [
  ...prefixes.map((prefix) => `${prefix}_${ulid}`),
  'tok_3QZ6q5b1mS0x5rjS8uWb1A',
  'ses_3QZ6q5b1mS0x5rjS8uWb1A',
  '123456',
  '2026-11-01',
  '2026-11',
  'daily-brief',
  'DAILY_BRIEF',
  'local/echo',
  'notes/today.md',
  '0 9 * * *',
  'a'.repeat(64),
  'a'.repeat(43),
  'a'.repeat(22),
  '00Ab12Cd',
]
const byFormat: Record<string, string> = {
  'date-time': '2026-11-01T12:00:00.000Z',
  date: '2026-11-01',
  email: 'ada@example.com',
  uri: 'https://berth.example/checkout',
}

/** A value that a schema takes, made of the examples its parts carry; undefined parts are left out. */
export function exampleOf(schema: z.ZodType, io: 'input' | 'output'): unknown {
  // safe because only what is looked at is named, and all of it is optional
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  return make(root, root.$defs ?? {}, io, 0)
}

function make(schema: Schema, defs: Record<string, Schema>, io: 'input' | 'output', depth: number): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.$ref) return make(defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}, defs, io, depth + 1)
  const one = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0]
  if (one) return make(one, defs, io, depth)
  const type = [schema.type].flat()[0]
  if (type === 'object') return makeObject(schema, defs, io, depth)
  if (type === 'array') return depth > 6 ? [] : [make(schema.items ?? {}, defs, io, depth + 1)]
  if (type === 'string') return text(schema)
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'integer' || type === 'number') {
    const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1)
    return Math.max(least, 1) > Number.MAX_SAFE_INTEGER || least < -1e15 ? 1 : Math.max(least, 1)
  }
  return {}
}

/** A request shows what it must say; an answer shows all it can. */
function makeObject(schema: Schema, defs: Record<string, Schema>, io: 'input' | 'output', depth: number) {
  const wanted = Object.entries(schema.properties ?? {}).filter(
    ([name]) => io === 'output' || schema.required?.includes(name),
  )
  return Object.fromEntries(wanted.map(([name, part]) => [name, make(part, defs, io, depth + 1)]))
}

function text({ format, pattern, minLength = 0 }: Schema): string {
  const known = format && byFormat[format]
  if (known) return known
  const fits = pattern ? texts.find((one) => new RegExp(pattern).test(one)) : undefined
  return (fits ?? 'Daily brief').padEnd(minLength, '.')
}

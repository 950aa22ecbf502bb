import * as z from 'zod'
import { prefixes } from '../../domain/ids.ts'

type Schema = z.core.JSONSchema.BaseSchema
type Direction = 'input' | 'output'

/** Texts of the shapes our patterns ask for; the first that fits a pattern is its example. */
const texts = [
  ...prefixes.map((prefix) => `${prefix}_01KAHB2N3P4Q5R6S7T8V9WXYZ0`),
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

/**
 * A value that a schema takes, made of the examples its parts carry. An input has only what it must have, an output
 * all it can have.
 */
export function exampleOf(schema: z.ZodType, direction: Direction): unknown {
  const root = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' })

  function make(part: z.core.JSONSchema._JSONSchema | undefined, depth: number): unknown {
    if (typeof part !== 'object') return {}
    if (part.example !== undefined) return part.example
    if (part.const !== undefined) return part.const
    if (part.default !== undefined) return part.default
    if (part.enum) return part.enum[0]
    if (part.$ref) return make(root.$defs?.[part.$ref.split('/').at(-1) ?? ''], depth + 1)
    const [option] = part.anyOf ?? part.oneOf ?? part.allOf ?? []
    if (option) return make(option, depth)
    const [type] = [part.type].flat()
    if (type === 'object') return makeObject(part, depth)
    if (type === 'array') return depth > 6 ? [] : [make([part.items].flat()[0], depth + 1)]
    if (type === 'string') return makeText(part)
    if (type === 'boolean') return true
    if (type === 'null') return null
    return type === 'integer' || type === 'number' ? makeNumber(part) : {}
  }

  function makeObject({ properties = {}, required = [] }: Schema, depth: number) {
    const shown = Object.entries(properties).filter(([name]) => direction === 'output' || required.includes(name))
    return Object.fromEntries(shown.map(([name, part]) => [name, make(part, depth + 1)]))
  }

  return make(root, 0)
}

function makeNumber({ minimum, exclusiveMinimum }: Schema): number {
  const least = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1)
  return Math.max(least, 1)
}

function makeText({ format, pattern, minLength = 0 }: Schema): string {
  const known = format && byFormat[format]
  if (known) return known
  const fitting = pattern ? texts.find((text) => new RegExp(pattern).test(text)) : undefined
  return (fitting ?? 'Daily brief').padEnd(minLength, '.')
}

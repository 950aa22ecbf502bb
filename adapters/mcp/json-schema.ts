import * as z from 'zod'

export type JsonSchema = { type: 'object'; [key: string]: unknown }

const made = new WeakMap<z.ZodType, JsonSchema>()

/** A tool's schema as plain JSON Schema, made once per function instance. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = made.get(schema)
  if (known) return known
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    metadata: unnamed,
    override: (context) => trim(context.jsonSchema, io),
  })
  const one: JsonSchema = { ...plain, type: 'object' }
  made.set(schema, one)
  return one
}

/** The global registry without ids: an id would move a schema to `$defs`, and many clients follow no `$ref`. */
const unnamed = z.registry<Record<string, unknown>>()
unnamed.get = (schema) => {
  const meta = z.globalRegistry.get(schema)
  if (!meta) return undefined
  const { id: _, example, ...rest } = meta
  return example === undefined ? rest : { ...rest, examples: [example] }
}

/**
 * Takes out what costs a model tokens and tells it nothing: the bounds of safe integers, patterns beside a format, and
 * in answers the default that an input's schema of the same noun has.
 */
function trim(one: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (io === 'output') delete one.default
  if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum
  if (one.minimum === Number.MIN_SAFE_INTEGER) delete one.minimum
  if (one.format && one.pattern) delete one.pattern
}

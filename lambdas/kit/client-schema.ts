import type * as z from 'zod'

type Schema = z.core.JSONSchema.BaseSchema

const isNull = (part: Schema | undefined) => part?.type === 'null'

/** A nullable value has one type and null, not a schema of null alone. */
function nullable(schema: Schema): void {
  const [value, nothing, ...more] = (schema.anyOf ?? []) as Schema[] // safe because zod writes no `true` there
  if (!value || !isNull(nothing) || more.length > 0 || typeof value.type !== 'string') return
  delete schema.anyOf
  const { enum: values, ...rest } = value
  // The library's types do not know a list of types.
  const both = { type: [value.type, 'null'] as unknown as 'null' } // safe because JSON Schema allows a list
  Object.assign(schema, { ...rest, ...schema, ...both }, values && { enum: [...values, null] })
}

/**
 * Rewrites a schema for client generators. Integers are of 64 bits, with only the operation's own bounds; other numbers
 * are not cut to 32 bits; a format has no pattern. Only scalars have defaults, because generators write those of lists
 * and objects as text.
 */
export function forClients({ jsonSchema: schema }: { jsonSchema: Schema }): void {
  nullable(schema)
  if ([schema.type].flat().includes('integer')) {
    schema.format = 'int64'
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  }
  if ([schema.type].flat().includes('number')) schema.format = 'double'
  if (schema.format) delete schema.pattern
  if (typeof schema.default === 'object') delete schema.default
  delete schema.propertyNames
}

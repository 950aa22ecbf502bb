import * as z from 'zod'

type JsonSchema = { type: 'object'; [key: string]: unknown }

/** Input and output schemas by tool name, as clients see them; created when the functions are built. */
export type ToolSchemas = Record<string, { inputSchema: JsonSchema; outputSchema: JsonSchema }>

export const toolSchemas = (
  operations: readonly { tool?: { name: string }; input: z.ZodType; output: z.ZodType }[],
): ToolSchemas =>
  Object.fromEntries(
    operations.flatMap(({ tool, input, output }) =>
      tool
        ? [[tool.name, { inputSchema: jsonSchema(input, 'input'), outputSchema: jsonSchema(output, 'output') }]]
        : [],
    ),
  )

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    metadata: unnamed,
    override: (context) => trim(context.jsonSchema, io),
  })
  return { ...plain, type: 'object' }
}

/** The global registry without ids: an id would move a schema to `$defs`, and many clients follow no `$ref`. */
const unnamed = z.registry<Record<string, unknown>>()
unnamed.get = (schema) => {
  const meta = z.globalRegistry.get(schema)
  if (!meta) return undefined
  const { id: _, example, ...rest } = meta
  return example === undefined ? rest : { ...rest, examples: [example] }
}

/** Removes parts that cost a model tokens without information; the input's schema already has an answer's defaults. */
function trim(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (io === 'output') delete schema.default
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.format && schema.pattern) delete schema.pattern
}

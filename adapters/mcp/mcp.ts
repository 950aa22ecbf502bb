import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { DomainError } from '../../domain/errors.ts'
import type { Mcp, Tool } from '../../domain/tool.ts'
import type { Env } from '../env.ts'

type JsonSchema = { type: 'object'; [key: string]: unknown }

const schemas = new WeakMap<z.ZodType, JsonSchema>()

/** A tool's schema as JSON Schema, made once per function instance. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = schemas.get(schema)
  if (known) return known
  const made: JsonSchema = { ...z.toJSONSchema(schema, { io, reused: 'inline' }), type: 'object' }
  schemas.set(schema, made)
  return made
}

/** `wallet.balance` as clients that reject dots write it. */
const underscored = (name: string) => name.replaceAll('.', '_')

const listed = (tool: Tool, dots: boolean) => ({
  name: dots ? tool.name : underscored(tool.name),
  title: tool.title,
  description: tool.description,
  inputSchema: jsonSchema(tool.input, 'input'),
  outputSchema: jsonSchema(tool.output, 'output'),
  annotations: { title: tool.title, ...tool.annotations },
})

/** A business error becomes a result the model can read and act on; anything else stays an error of ours. */
async function call(tool: Tool, input: unknown) {
  try {
    const output = await tool.call(input ?? {})
    // safe because every tool's output schema is an object
    return { content: [text(output)], structuredContent: output as Record<string, unknown> }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { code, message, details, retryAfterSeconds } = error
    return { isError: true, content: [text({ error: code, message, details, retryAfterSeconds })] }
  }
}

const text = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })

function serverFor(tools: Tool[], dots: boolean, version: string): Server {
  const server = new Server({ name: 'berth', title: 'Berth', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools: tools.map((one) => listed(one, dots)) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find((one) => one.name === params.name || underscored(one.name) === params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 100)}`)
    return call(tool, params.arguments)
  })
  return server
}

/** The protocol's own server for both revisions, stateless: a fresh one for each request. */
export const mcp = (env: Env): Mcp => ({
  handle: (request, tools) => {
    const dots = new URL(request.url).searchParams.get('names') !== 'underscore'
    const { imageVersion } = env.settings()
    return createMcpHandler(() => serverFor(tools, dots, imageVersion), { keepAliveMs: 15_000 }).fetch(request)
  },
})

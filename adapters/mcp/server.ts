import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { DomainError } from '../../domain/errors.ts'
import type { ToolSchemas } from '../../domain/mcp/json-schema.ts'
import { spelled, underscored } from '../../domain/mcp/names.ts'
import { nextStep } from '../../domain/mcp/next-step.ts'
import type { Surface } from '../../domain/mcp/surface.ts'
import type { Tool } from '../../domain/tool.ts'
import { guarded, safely, TellingServer } from './faults.ts'

const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} }

const instructions =
  'Berth hosts one AI agent for this user: a machine that can be paused and resumed, and a prepaid wallet that pays for its ' +
  'model calls. Amounts are in micro-dollars (1 USD = 1000000). Read instance.status before you change anything.'

/** The protocol's own server over what one caller may see; a fresh one for each request. */
export function serverFor(surface: Surface, version: string, schemas: () => Promise<ToolSchemas>): Server {
  const server = new TellingServer({ name: 'berth', title: 'Berth', version }, { capabilities, instructions })
  const shown = guarded(surface)
  serveTools(server, shown, safely(surface.failed, schemas))
  serveResources(server, shown)
  servePrompts(server, shown)
  return server
}

function serveTools(server: Server, { tools, spelling }: Surface, schemas: () => Promise<ToolSchemas>): void {
  server.setRequestHandler('tools/list', async () => {
    const known = await schemas()
    return {
      tools: tools.map((tool) => ({
        name: spelled(tool.name, spelling),
        title: tool.title,
        description: tool.description,
        ...schemasOf(known, tool.name),
        annotations: { title: tool.title, ...tool.annotations },
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find((one) => one.name === params.name || underscored(one.name) === params.name)
    if (!tool) throw invalidParams(`Unknown tool: ${params.name.slice(0, 100)}`)
    return call(tool, params.arguments)
  })
}

function schemasOf(known: ToolSchemas, name: string) {
  const found = known[name]
  if (!found) throw new Error(`tools.json has no schemas of ${name}: it was made of other tools`)
  return found
}

/** A business error becomes a result the model can read and act on; anything else stays an error of ours. */
async function call(tool: Tool, input: unknown) {
  try {
    const output = await tool.call(input ?? {})
    // safe because every tool's output schema is an object
    return { content: [text(output)], structuredContent: output as Record<string, unknown> }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { code, message, details, retryAfterSeconds } = error
    return {
      isError: true,
      content: [text({ error: code, message, details, retryAfterSeconds, next: nextStep[code] })],
    }
  }
}

function serveResources(server: Server, { resources, templates }: Surface): void {
  const find = async (uri: string) => {
    const found = (await resources()).find((one) => one.uri === uri)
    if (!found) throw new ResourceNotFoundError(uri)
    return found
  }
  server.setRequestHandler('resources/list', async () => ({
    resources: (await resources()).map(({ read: _, ...shown }) => ({ ...shown, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: templates.map((one) => ({ ...one, mimeType })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const content = await (await find(uri)).read()
    return { contents: [{ uri, mimeType, text: JSON.stringify(content) }] }
  })
  // The stream tells of every change of these resources, so there is nothing to keep of a subscription.
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => (await find(uri)) && {})
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => (await find(uri)) && {})
}

function servePrompts(server: Server, { prompts, spelling }: Surface): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ name, title, description }) => ({ name, title, description, arguments: [] })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const found = prompts.find(({ name }) => name === params.name)
    if (!found) throw invalidParams(`Unknown prompt: ${params.name.slice(0, 100)}`)
    const words = found.text((name) => spelled(name, spelling))
    return { description: found.description, messages: [{ role: 'user', content: { type: 'text', text: words } }] }
  })
}

const mimeType = 'application/json'
const text = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })
const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

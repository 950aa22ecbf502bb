import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import type { ToolSchemas } from '../../app/mcp/json-schema.ts'
import type { ServerFeatures, Tool } from '../../app/ports/mcp.ts'
import { DomainError } from '../../domain/errors.ts'
import { formatName, hintFor, withUnderscores } from '../../domain/mcp/tools.ts'
import { cut } from '../../domain/text.ts'

const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} }

const instructions =
  'Berth hosts one AI agent for this user: a machine that can be paused and resumed, and a prepaid wallet that pays for its ' +
  'model calls. Amounts are in micro-dollars (1 USD = 1000000). Read instance.status before you change anything.'

export function serverFor(features: ServerFeatures, version: string, schemas: () => Promise<ToolSchemas>): Server {
  const server = new ErrorMappingServer({ name: 'berth', title: 'Berth', version }, { capabilities, instructions })
  const shown = withFaultsHidden(features)
  serveTools(server, shown, hideFaults(features.reportError, schemas))
  serveResources(server, shown)
  servePrompts(server, shown)
  return server
}

function serveTools(server: Server, { tools, nameStyle }: ServerFeatures, schemas: () => Promise<ToolSchemas>): void {
  server.setRequestHandler('tools/list', async ({ params }) => {
    checkFirstPage(params)
    const known = await schemas()
    return {
      tools: tools.map((tool) => ({
        name: formatName(tool.name, nameStyle),
        title: tool.title,
        description: tool.description,
        ...schemasOf(known, tool.name),
        annotations: { title: tool.title, ...tool.annotations },
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name || withUnderscores(name) === params.name)
    if (!tool) throw invalidParams(`Unknown tool: ${cut(params.name, 100)}`)
    return call(tool, params.arguments)
  })
}

function schemasOf(known: ToolSchemas, name: string) {
  const found = known[name]
  if (!found) throw new Error(`tools.json has no schemas of ${name}: it was made of other tools`)
  return found
}

/** A business error becomes a result that the model can act on; other errors stay internal. */
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
      content: [text({ error: code, message, details, retryAfterSeconds, next: hintFor(error) })],
    }
  }
}

function serveResources(server: Server, { resources, templates }: ServerFeatures): void {
  const find = async (uri: string) => {
    const found = (await resources()).find((resource) => resource.uri === uri)
    if (!found) throw new ResourceNotFoundError(uri)
    return found
  }
  server.setRequestHandler('resources/list', async ({ params }) => {
    checkFirstPage(params)
    return { resources: (await resources()).map(({ read: _, ...shown }) => ({ ...shown, mimeType })) }
  })
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    checkFirstPage(params)
    return { resourceTemplates: templates.map((template) => ({ ...template, mimeType })) }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const content = await (await find(uri)).read()
    return { contents: [{ uri, mimeType, text: JSON.stringify(content) }] }
  })
  // The stream reports every change of these resources, so a subscription needs no state.
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => (await find(uri)) && {})
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => (await find(uri)) && {})
}

function servePrompts(server: Server, { prompts, nameStyle }: ServerFeatures): void {
  server.setRequestHandler('prompts/list', async ({ params }) => {
    checkFirstPage(params)
    return { prompts: prompts.map(({ name, title, description }) => ({ name, title, description, arguments: [] })) }
  })
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const found = prompts.find(({ name }) => name === params.name)
    if (!found) throw invalidParams(`Unknown prompt: ${cut(params.name, 100)}`)
    const prompt = found.text((name) => formatName(name, nameStyle))
    return { description: found.description, messages: [{ role: 'user', content: { type: 'text', text: prompt } }] }
  })
}

const mimeType = 'application/json'
const text = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })
const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** Each list is one page, so no cursor was ever issued. An empty cursor requests the first page. */
function checkFirstPage(params: { cursor?: string } | undefined): void {
  if (params?.cursor) throw invalidParams('Unknown cursor. Leave it out: the list is one page.')
}

type Handler = Parameters<Server['_wrapHandler']>[1]

/** Tells a caller what is wrong with a request, but hides the text of internal errors. */
class ErrorMappingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        throw error instanceof Error ? asProtocolError(method, error) : error
      }
    }
  }
}

/** The library throws a plain error for unreadable parameters, and reports plain errors as internal. */
function asProtocolError(method: string, error: Error): Error {
  if (error instanceof DomainError) return new ProtocolError(codeOf(error), error.message, { error: error.code })
  if (Object.getPrototypeOf(error) !== Error.prototype) return error
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid ${method} request: ${cut(error.message, 500)}`)
}

const codeOf = ({ code }: DomainError): ProtocolErrorCode =>
  code === 'internal' || code === 'provider-error' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams

const hideFaults =
  <Given extends unknown[], T>(reportError: ServerFeatures['reportError'], work: (...given: Given) => Promise<T>) =>
  async (...given: Given): Promise<T> => {
    try {
      return await work(...given)
    } catch (error) {
      if (error instanceof DomainError && error.code !== 'internal') throw error
      reportError(error)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something failed on our side. Try once more.')
    }
  }

/** Hides internal errors of every feature that leaves this process. */
const withFaultsHidden = (features: ServerFeatures): ServerFeatures => ({
  ...features,
  tools: features.tools.map((tool) => ({ ...tool, call: hideFaults(features.reportError, tool.call) })),
  resources: hideFaults(features.reportError, async () =>
    (await features.resources()).map((resource) => ({
      ...resource,
      read: hideFaults(features.reportError, resource.read),
    })),
  ),
})

import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { nameOf } from '../kit/log.ts'
import { cut } from '../kit/text.ts'
import type { ServerConfig } from './mcp-config.ts'
import { ToolError, type Tools } from './tool.ts'

/** npx and uvx may have to install the server first. */
const connectMs = 60_000
const maxTools = 100
const maxDescription = 2_000

interface Place {
  cwd: string
  /** The user's variables. A command gets only home, path, and the variables in its configuration. */
  environment: Readonly<Record<string, string>>
  callMs: number
  used(): void
}

/** A server that starts on demand, also after it has died. */
export class McpServer {
  readonly #name: string
  readonly #config: ServerConfig
  readonly #place: Place
  #client: Promise<Client> | null = null
  #tools: Tools | null = null

  constructor(name: string, config: ServerConfig, place: Place) {
    this.#name = name
    this.#config = config
    this.#place = place
  }

  /** Tools under prefixed names, listed once so that providers' caches stay valid. */
  async tools(): Promise<Tools> {
    this.#tools ??= await this.#listTools()
    return this.#tools
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null)
    this.#client = null
    await client?.close().catch(() => {})
  }

  async #listTools(): Promise<Tools> {
    const client = await this.#connected()
    const { tools } = await client.listTools(undefined, { timeout: connectMs })
    return Object.fromEntries(
      tools.slice(0, maxTools).map(({ name, description, inputSchema, annotations }) => [
        `mcp__${this.#name}__${name}`.replace(/[^\w-]/g, '_').slice(0, 64),
        {
          description: cut(description ?? annotations?.title ?? name, maxDescription),
          parameters: inputSchema,
          readOnly: annotations?.readOnlyHint === true,
          run: (args, stop) => this.#call(name, args.fields, stop),
        } satisfies Tools[string],
      ]),
    )
  }

  async #call(name: string, args: Readonly<Record<string, unknown>>, stop: AbortSignal): Promise<string> {
    const { callMs: timeout, used } = this.#place
    used()
    const client = await this.#connected()
    const limits = { timeout, maxTotalTimeout: 5 * timeout, resetTimeoutOnProgress: true, signal: stop }
    try {
      return textOf(await client.callTool({ name, arguments: { ...args } }, limits))
    } catch (thrown) {
      // Reconnect only for the next call: this one may have had its effect.
      if (this.#client === null)
        throw new ToolError(`the MCP server ${this.#name} ended; the next call starts it again`)
      throw new ToolError(
        `the MCP server ${this.#name} says: ${thrown instanceof Error ? cut(thrown.message, 500) : ''}`,
      )
    }
  }

  async #connected(): Promise<Client> {
    this.#client ??= this.#connect()
    return this.#client.catch((thrown: unknown) => {
      this.#client = null
      throw new ToolError(`the MCP server ${this.#name} does not start (${nameOf(thrown)})`)
    })
  }

  async #connect(): Promise<Client> {
    const client = new Client({ name: 'berth-agent', version: '1' })
    client.onclose = () => {
      this.#client = null
    }
    await client.connect(this.#transport(), { timeout: connectMs })
    return client
  }

  #transport() {
    const { command, args, env, url = '', headers } = this.#config
    const { cwd, environment } = this.#place
    if (command === undefined) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    const { HOME = cwd, PATH = '' } = environment
    return new StdioClientTransport({ command, args, cwd, env: { HOME, PATH, ...env }, stderr: 'ignore' })
  }
}

/** Names content that is no text. */
function textOf({ content, structuredContent, isError }: CallToolResult): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'resource') return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`
    if (part.type === 'resource_link') return `[${part.name}: ${part.uri}]`
    return `[${part.mimeType}, ${part.data.length} characters of base64]`
  })
  const text = parts.join('\n') || (structuredContent ? JSON.stringify(structuredContent) : '(nothing)')
  return isError ? `error: ${text}` : text
}

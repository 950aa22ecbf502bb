import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeSettings } from '../environment.ts'
import { parseObject } from '../json.ts'
import { type Log, nameOf } from '../log.ts'
import type { McpServer } from './mcp-server.ts'
import { ToolError, type Tools } from './tool.ts'

/** Where the user's servers are named, in the form that Claude Code reads. */
const configFile = join('workspace', '.mcp.json')
const maxServers = 10
/** Servers that nobody used for so long are ended: each has memory of its own. Longer than any call. */
const idleMs = 10 * 60_000

/** One server, as its user wrote it. */
export interface ServerConfig {
  command?: string
  args: string[]
  env: Record<string, string>
  url?: string
  headers: Record<string, string>
}

interface Connected {
  tools: Tools
  /** Servers without tools, and why, for the model. */
  unreachable: string[]
}

type McpSettings = Pick<RuntimeSettings, 'volume' | 'variables' | 'runsCommands'>

/** How long a call may take, ms; one that reports progress five times that. */
const callMs = 60_000

/** The MCP servers that the user added, in our image only: elsewhere their commands would run on somebody's own machine. */
export class McpServers {
  readonly #settings: McpSettings
  readonly #log: Log
  readonly #callMs: number
  #written = ''
  #servers = new Map<string, McpServer>()
  #idle: NodeJS.Timeout | undefined

  constructor(settings: McpSettings, log: Log, mostMs = callMs) {
    this.#settings = settings
    this.#callMs = mostMs
    this.#log = log
  }

  /** The tools of all that can be reached. Never throws: a server that fails costs its own tools. */
  async connect(): Promise<Connected> {
    const { volume, runsCommands } = this.#settings
    const written = runsCommands ? await readFile(join(volume, configFile), 'utf8').catch(() => '') : ''
    if (written !== this.#written) await this.close()
    this.#written = written
    if (written === '') return { tools: {}, unreachable: [] }
    this.#used()
    const { mcpServers } = parseObject<{ mcpServers: Record<string, unknown> }>(written)
    if (!isRecord(mcpServers)) return { tools: {}, unreachable: [`${configFile} holds no object "mcpServers"`] }
    const named = Object.entries(mcpServers).slice(0, maxServers)
    const found = await Promise.all(named.map(([name, config]) => this.#toolsOf(name, config)))
    return {
      tools: Object.assign({}, ...found.map(({ tools }) => tools)),
      unreachable: found.flatMap(({ unreachable }) => unreachable),
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end()
    this.#servers.clear()
  }

  async #toolsOf(name: string, config: unknown): Promise<Connected> {
    try {
      const server = this.#servers.get(name) ?? (await this.#open(name, config))
      this.#servers.set(name, server)
      return { tools: await server.tools(), unreachable: [] }
    } catch (thrown) {
      this.#log('an MCP server cannot be used', { because: nameOf(thrown) })
      return {
        tools: {},
        unreachable: [`${name}: ${thrown instanceof ToolError ? thrown.message : 'it does not start'}`],
      }
    }
  }

  /** The client is loaded with the first server: it takes some 38 MB of memory. */
  async #open(name: string, config: unknown): Promise<McpServer> {
    const { volume, variables } = this.#settings
    const read = readConfig(config, variables)
    const { McpServer } = await import('./mcp-server.ts')
    const place = {
      cwd: join(volume, 'workspace'),
      environment: variables,
      callMs: this.#callMs,
      used: () => this.#used(),
    }
    return new McpServer(name, read, place)
  }

  #used(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ToolError saying what is wrong, never with a value */
export function readConfig(config: unknown, variables: Readonly<Record<string, string>>): ServerConfig {
  if (!isRecord(config)) throw new ToolError('it is no object')
  const { command, url, type, args = [], env = {}, headers = {} } = config
  const text = (value: unknown, name: string): string => {
    if (typeof value !== 'string') throw new ToolError(`"${name}" is not a text`)
    return expand(value, variables)
  }
  const texts = (value: unknown, name: string): Record<string, string> => {
    if (!isRecord(value)) throw new ToolError(`"${name}" is no object`)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, text(each, `${name}.${key}`)]))
  }
  if (type === 'sse') throw new ToolError('the transport "sse" is not spoken, only stdio and Streamable HTTP')
  if (!Array.isArray(args)) throw new ToolError('"args" is not a list')
  if ((command === undefined) === (url === undefined)) throw new ToolError('name either a "command" or a "url"')
  return {
    ...(command !== undefined && { command: text(command, 'command') }),
    ...(url !== undefined && { url: text(url, 'url') }),
    args: args.map((each) => text(each, 'args')),
    env: texts(env, 'env'),
    headers: texts(headers, 'headers'),
  }
}

/** `${NAME}` and `${NAME:-otherwise}`, of the user's variables. */
const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : otherwise
    if (value === undefined) throw new ToolError(`the variable ${name} is not set`)
    return value
  })

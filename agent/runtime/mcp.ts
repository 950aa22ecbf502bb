import { join } from 'node:path'
import type { RuntimeSettings } from '../kit/environment.ts'
import { parseObject } from '../kit/json.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { openFolder } from '../volume/files.ts'
import { isRecord, readConfig } from './mcp-config.ts'
import type { McpServer } from './mcp-server.ts'
import { ToolError, type Tools } from './tool.ts'

/** The user's servers, in the format of Claude Code. */
const configFile = join('workspace', '.mcp.json')
const maxServers = 10
const maxConfigBytes = 1024 * 1024
/** Unused servers hold memory and are ended after this time, which is longer than any call. */
const idleMs = 10 * 60_000

interface Connected {
  tools: Tools
  /** Servers without tools, and why, for the model. */
  unreachable: string[]
}

type McpSettings = Pick<RuntimeSettings, 'volume' | 'variables' | 'runsCommands'>

/** Timeout of a call, ms; five times that for a call that reports progress. */
const callMs = 60_000

/** Empty for a missing or an oversized file. */
const readConfigFile = async (volume: string): Promise<string> => {
  await using folder = await openFolder(volume, [Buffer.from('workspace')]).catch(() => null)
  const bytes = await folder?.read(Buffer.from('.mcp.json'), maxConfigBytes).catch(() => null)
  return bytes?.toString() ?? ''
}

/** The MCP servers that the user added; only in our image, because they run commands. */
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

  /** The tools of all servers. Never throws: a failing server costs only its own tools. */
  async connect(): Promise<Connected> {
    const { volume, runsCommands } = this.#settings
    const written = runsCommands ? await readConfigFile(volume) : ''
    if (written !== this.#written) await this.close()
    this.#written = written
    if (written === '') return { tools: {}, unreachable: [] }
    this.#used()
    const { mcpServers } = parseObject<{ mcpServers: Record<string, unknown> }>(written)
    if (!isRecord(mcpServers)) return { tools: {}, unreachable: [`${configFile} holds no object "mcpServers"`] }
    const named = Object.entries(mcpServers).slice(0, maxServers)
    const servers = await Promise.all(named.map(([name, config]) => this.#toolsOf(name, config)))
    return {
      tools: Object.assign({}, ...servers.map(({ tools }) => tools)),
      unreachable: servers.flatMap(({ unreachable }) => unreachable),
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

  /** Lazy import: the client takes some 38 MB of memory. */
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

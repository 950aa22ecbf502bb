import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type RuntimeSettings, runtimeSettings } from '../../../agent/kit/environment.ts'
import { openJournal } from '../../../agent/runtime/journal.ts'
import { McpServers } from '../../../agent/runtime/mcp.ts'
import { openSummary, openTranscript } from '../../../agent/runtime/memory.ts'
import { Service } from '../../../agent/runtime/service.ts'
import { ownTools } from '../../../agent/runtime/tools.ts'
import { answerPrompt } from '../../../agent/runtime/turn.ts'
import type { Agent } from '../../../agent/runtime/turn-conversation.ts'
import { StateFolder } from '../../../agent/volume/state-folder.ts'
import { observation } from '../../../domain/agent/observation.ts'
import type { Usage } from '../../../domain/models/cost.ts'
import { ProtocolServer } from '../protocol-server.ts'
import { type Fault, type Play, Provider, type Upstream } from './provider.ts'
import type { Request } from './wires.ts'

export interface Task {
  name: string
  /** The user's messages, each with the model's plays. */
  turns: { ask: string; plays: Play[]; faults?: Record<number, Fault> }[]
  /** Files on the volume before the task. */
  files?: Record<string, string>
  /** Earlier messages of the conversation, the user's first. */
  said?: string[]
  variables?: Record<string, string>
  summary?: (seen: Request) => string
  longest?: number
  /** The task needs commands (a shell, MCP servers over stdio). */
  commands?: true
  /** Timeout of a call to an MCP server, ms; 400 by default. */
  mcpCallMs?: number
  /** Runs only with a script, because a real model would not behave in this way. */
  scripted?: true
  /** @returns the problems at the end */
  check(end: End): (string | false | null | undefined)[]
}

/** The outcome of a task. */
interface End {
  /** A file of the volume; empty when it does not exist. */
  file(path: string): string
  replies: string[]
  outcomes: string[]
  requests: Request[]
}

export interface Result {
  wrong: string[]
  calls: number
  usage: Usage
  ms: number
}

/** The model: the script of each task in one of the formats, or a real model. */
export interface Model {
  name: string
  upstream?: Upstream
  /** Whether this host may run commands. */
  runsCommands: boolean
}

/** Plays a task on its own volume, in this process, and checks the outcome. */
export async function runTask(task: Task, { name, upstream, runsCommands }: Model): Promise<Result> {
  const startedMs = Date.now()
  const volume = mkdtempSync(join(tmpdir(), 'berth-task-'))
  const server = await new ProtocolServer().start()
  const provider = await new Provider().start()
  const stopping = new AbortController()
  let agent: (Agent & { mcp: McpServers }) | undefined
  try {
    prepare(volume, task)
    server.model = name
    for (const [i, text] of (task.said ?? []).entries()) addMessage(server, i, text)
    Object.assign(provider, { upstream: upstream ?? null, longest: task.longest ?? provider.longest })
    if (task.summary) provider.summary = task.summary
    const settings = settingsOf(volume, server, provider, runsCommands, task.variables ?? {})
    agent = await openAgent(settings, stopping.signal, task.mcpCallMs ?? 400)
    const replies: string[] = []
    const outcomes: string[] = []
    const wrong: string[] = []
    for (const { ask, plays, faults = {} } of task.turns) {
      provider.begin(plays, faults)
      const prompt = server.say(ask)
      await answerPrompt(agent, prompt.id)
      replies.push(...server.replies(prompt).map(({ text }) => text))
      outcomes.push(...prompt.closed)
      if (!upstream && provider.plays.length > 0) wrong.push(`${provider.plays.length} answers were not asked for`)
    }
    const file = (path: string) => (existsSync(join(volume, path)) ? readFileSync(join(volume, path), 'utf8') : '')
    wrong.push(
      ...task
        .check({ file, replies, outcomes, requests: provider.requests })
        .filter((said) => said !== false && said !== null && said !== undefined),
    )
    if (replies.length !== task.turns.length) wrong.push(`${replies.length} replies to ${task.turns.length} messages`)
    if (provider.overrun > 0) wrong.push(`${provider.overrun} calls more than were played`)
    wrong.push(...provider.violations, ...refusedReports(server))
    return { wrong, calls: provider.requests.length, usage: provider.usage, ms: Date.now() - startedMs }
  } finally {
    stopping.abort()
    await agent?.mcp.close()
    provider.close()
    await server.stop()
    rmSync(volume, { recursive: true, force: true })
  }
}

/** Reports that the service would refuse. */
const refusedReports = ({ seen }: ProtocolServer): string[] =>
  seen.flatMap(({ path, body }) => {
    const read = path === '/agent/observe' ? observation.safeParse(body) : { success: true }
    return read.success ? [] : [`the report is refused: ${JSON.stringify(body).slice(0, 200)}`]
  })

function prepare(volume: string, { files = {} }: Task): void {
  for (const folder of ['workspace', 'memory', 'state']) mkdirSync(join(volume, folder))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(volume, path)), { recursive: true })
    writeFileSync(join(volume, path), text)
  }
}

function addMessage(server: ProtocolServer, index: number, text: string): void {
  const at = new Date(Date.now() - 3_600_000 + index * 1000).toISOString()
  const role = index % 2 === 0 ? ('user' as const) : ('agent' as const)
  server.messages.push({
    id: `msg_!${String(index).padStart(5, '0')}`,
    role,
    text,
    conversation: 'main',
    channel: 'web',
    at,
  })
}

function settingsOf(
  volume: string,
  server: ProtocolServer,
  provider: Provider,
  runsCommands: boolean,
  variables: Record<string, string>,
): RuntimeSettings {
  const { agent: key } = server.newGeneration()
  return runtimeSettings({
    ...variables,
    PATH: process.env.PATH,
    HOME: volume,
    BERTH_LOOPBACK: server.api,
    BERTH_LOOPBACK_KEY: key,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OPENAI_API_KEY: 'key',
    ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'key',
    BERTH_VOLUME: volume,
    BERTH_BACKOFF_SCALE: '0.0001',
    ...(runsCommands && { BERTH_CONTAINER: '1' }),
  })
}

async function openAgent(
  settings: RuntimeSettings,
  stopped: AbortSignal,
  mcpCallMs: number,
): Promise<Agent & { mcp: McpServers }> {
  const state = new StateFolder(settings.volume, 'state')
  return {
    settings,
    service: new Service(settings, stopped),
    journal: await openJournal(state),
    transcript: await openTranscript(new StateFolder(settings.volume, 'memory')),
    summary: openSummary(state),
    tools: ownTools(settings),
    mcp: new McpServers(settings, () => {}, mcpCallMs),
    log: () => {},
  }
}

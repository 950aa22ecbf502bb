import type * as z from 'zod'
import type { Prompt } from '../../domain/mcp/prompts.ts'
import type { ResourceChange } from '../../domain/mcp/resources.ts'
import type { NameStyle } from '../../domain/mcp/tools.ts'

/** A thing of the account that a client may read and watch. */
export interface Resource {
  uri: string
  name: string
  title: string
  description: string
  read(): Promise<unknown>
}

/** The server features of MCP that one caller may use: what its scopes do not cover is not in here. */
export interface ServerFeatures {
  /** How tool names are listed; either style is accepted in a call. */
  nameStyle: NameStyle
  tools: Tool[]
  resources(): Promise<Resource[]>
  templates: { uriTemplate: string; name: string; title: string; description: string }[]
  prompts: Prompt[]
  /** Logs an internal error, of which the caller only learns that it happened. */
  reportError(error: unknown): void
  /** Changes from now on, until it is aborted; null marks a while of silence. */
  changes(signal?: AbortSignal): AsyncIterableIterator<ResourceChange | null>
}

/** A tool as a model sees it; `call` answers the operation's output or throws its domain error. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  output: z.ZodType
  annotations: ToolAnnotations
  call(input: unknown): Promise<unknown>
}

export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The kinds of answer that a client takes; at least one. */
export interface TakenAnswers {
  json: boolean
  events: boolean
}

/** The Model Context Protocol's wire: one stateless request in, one answer (JSON or SSE) out. */
export interface Mcp {
  handle(request: Request, features: ServerFeatures, takes: TakenAnswers): Promise<Response>
}

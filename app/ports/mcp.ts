import type * as z from 'zod'
import type { Prompt } from '../../domain/mcp/prompts.ts'
import type { ResourceChange } from '../../domain/mcp/resources.ts'
import type { NameStyle } from '../../domain/mcp/tools.ts'

export interface Resource {
  uri: string
  name: string
  title: string
  description: string
  read(): Promise<unknown>
}

/** The server features that one caller's scopes cover. */
export interface ServerFeatures {
  /** How tool names are listed; calls accept either style. */
  nameStyle: NameStyle
  tools: Tool[]
  resources(): Promise<Resource[]>
  templates: { uriTemplate: string; name: string; title: string; description: string }[]
  prompts: Prompt[]
  /** Logs an internal error; the caller learns no details. */
  reportError(error: unknown): void
  /** Changes from now on, until the signal aborts; null marks a silent interval. */
  changes(signal?: AbortSignal): AsyncIterableIterator<ResourceChange | null>
}

/** A tool as a model sees it; `call` returns the operation's output or throws its domain error. */
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

/** The response formats that a client accepts; at least one. */
export interface TakenAnswers {
  json: boolean
  events: boolean
}

/** The wire protocol of MCP: one stateless request in, one answer (JSON or SSE) out. */
export interface Mcp {
  handle(request: Request, features: ServerFeatures, takes: TakenAnswers): Promise<Response>
}

import type * as z from 'zod'
import type { Surface } from './mcp/surface.ts'

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

/** The Model Context Protocol's wire: one stateless request in, one answer (JSON or SSE) out. */
export interface Mcp {
  handle(request: Request, surface: Surface): Promise<Response>
}

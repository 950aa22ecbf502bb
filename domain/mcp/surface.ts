import type { Tool } from '../tool.ts'
import type { Change } from './changes.ts'
import type { Spelling } from './names.ts'
import type { Prompt } from './prompts.ts'

/** A thing of the account that a client may read and watch. */
export interface Resource {
  uri: string
  name: string
  title: string
  description: string
  read(): Promise<unknown>
}

/** Everything one caller may see and do over MCP: what its scopes do not cover is not in here. */
export interface Surface {
  /** How tool names are listed; either spelling is accepted in a call. */
  spelling: Spelling
  tools: Tool[]
  resources(): Promise<Resource[]>
  templates: { uriTemplate: string; name: string; title: string; description: string }[]
  prompts: Prompt[]
  /** Notes a fault of ours, of which the caller hears only that there was one. */
  failed(error: unknown): void
  /** What changes from now on, until it is over; null marks a while of silence. */
  changes(over?: AbortSignal): AsyncGenerator<Change | null>
}

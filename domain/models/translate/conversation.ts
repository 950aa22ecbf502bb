import { invalid } from '../../errors.ts'
import { isObject, objectsIn } from '../json.ts'
import { searchTool } from '../request-content.ts'

export interface Conversation {
  turns: readonly Turn[]
  tools: readonly Tool[]
  toolChoice: 'auto' | 'none' | 'required' | { name: string } | null
  parallelTools: boolean | null
  /** The form of the answer: any JSON object, or one of a schema. */
  output: 'json' | OutputSchema | null
  temperature: number | null
  topP: number | null
  stop: readonly string[]
  stopField: 'stop' | 'stop_sequences'
  /** In OpenAI's words; null leaves it to the model. */
  effort: string | null
}

/** `user` also holds results of tools. */
export interface Turn {
  role: 'system' | 'user' | 'assistant'
  parts: readonly Part[]
}

export interface TextPart {
  type: 'text'
  text: string
}

/** `data` is base64. */
export interface MediaPart {
  type: 'image' | 'file'
  mediaType: string
  data: string
  name: string | null
}

export interface CallPart {
  type: 'call'
  id: string
  name: string
  /** JSON. */
  arguments: string
}

export interface ResultPart {
  type: 'result'
  id: string
  parts: readonly (TextPart | MediaPart)[]
  failed: boolean
}

export type Part = TextPart | MediaPart | CallPart | ResultPart

export interface Tool {
  /** The provider's name of it. */
  name: string
  description: string | null
  /** JSON schema of its arguments. */
  schema: Record<string, unknown>
  strict: boolean
  /** The part that only the caller's format can express; null for a plain function. */
  own: OwnTool | null
}

/** A tool that other formats know under another name, or as a function with one text. */
export interface OwnTool {
  name: string
  namespace: string | null
  /** Takes text instead of JSON. */
  freeform: boolean
}

interface OutputSchema {
  name: string
  description: string | null
  schema: Record<string, unknown>
  strict: boolean
}

export type Fields = Readonly<Record<string, unknown>>

const elsewhere = 'The format this model speaks has no such thing. Leave it out, or choose another model.'

export const unsayable = (path: string) => invalid(path, elsewhere)

/** @throws validation naming the first of these fields that asks for something */
export function refuseFields(fields: Fields, names: readonly string[]): void {
  for (const name of names) {
    const value = fields[name]
    const asksNothing = value === undefined || value === null || value === false || value === 0
    const empty = isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0
    if (!asksNothing && !empty) throw unsayable(name)
  }
}

export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' ? value : otherwise)
export const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)
export const booleanOrNull = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
export const objectOr = (value: unknown, otherwise: Record<string, unknown> = {}): Record<string, unknown> =>
  isObject(value) ? value : otherwise

export const stringsIn = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string')

export const textPart = (text: string): TextPart => ({ type: 'text', text })

/** @throws validation naming the field for anything but a data URL of base64 */
export function readDataUrl(url: unknown, path: string): { mediaType: string; data: string } {
  const text = textOr(url, '')
  const comma = text.indexOf(',')
  const [, mediaType] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64$/i.exec(text.slice(0, Math.min(comma, 200))) ?? []
  if (!mediaType) throw invalid(path, 'Send it as a data: URL of base64.')
  return { mediaType: mediaType.toLowerCase(), data: text.slice(comma + 1) }
}

export const dataUrl = ({ mediaType, data }: Pick<MediaPart, 'mediaType' | 'data'>): string =>
  `data:${mediaType};base64,${data}`

export const isMedia = (part: Part): part is MediaPart => part.type === 'image' || part.type === 'file'
export const isText = (part: Part): part is TextPart => part.type === 'text'
export const isCall = (part: Part): part is CallPart => part.type === 'call'
export const isResult = (part: Part): part is ResultPart => part.type === 'result'

/** Empty turns are dropped. */
export function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = joined.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else joined.push({ role, parts: [...parts] })
  }
  return joined
}

/** Without a provider's web search. @throws validation when that search is the only tool */
export function callersTools(fields: Fields): { tool: Fields; path: string }[] {
  const all = objectsIn(fields.tools).map((tool, index) => ({ tool, path: `tools.${index}` }))
  const callers = all.filter(({ tool }) => !searchTool.test(String(tool.type)))
  if (callers.length === 0 && all.length > 0) throw unsayable('tools.0.type')
  return callers
}

import { textOfBase64 } from '../../base64.ts'
import { argumentsJson, isObject, objectsIn } from '../json.ts'
import { imageTypeOf } from '../media-types.ts'
import type { PricedModel } from '../model.ts'
import {
  type CallPart,
  type Conversation,
  callersTools,
  type Fields,
  isCall,
  isResult,
  isText,
  joinTurns,
  type MediaPart,
  numberOrNull,
  objectOr,
  type Part,
  type ResultPart,
  stringsIn,
  type TextPart,
  type Tool,
  type Turn,
  textOr,
  textPart,
  unsayable,
} from './conversation.ts'
import { effortOf, effortOfBudget, takesTemperature, thinkingFor } from './effort.ts'
import { originalId } from './limits.ts'

/** @throws validation naming a field that no other format has */
export function readMessages(fields: Fields): Conversation {
  const choice = objectOr(fields.tool_choice)
  const system: Turn = { role: 'system', parts: readContent(fields.system, 'system') }
  return {
    turns: [system, ...objectsIn(fields.messages).map(readMessage)],
    tools: callersTools(fields).map(readTool),
    toolChoice: readChoice(choice),
    parallelTools: choice.disable_parallel_tool_use === true ? false : null,
    output: readFormat(objectOr(objectOr(fields.output_config).format ?? fields.output_format)),
    temperature: numberOrNull(fields.temperature),
    topP: numberOrNull(fields.top_p),
    stop: stringsIn(fields.stop_sequences),
    stopField: 'stop_sequences',
    effort: readEffort(objectOr(fields.thinking), objectOr(fields.output_config)),
  }
}

function readMessage(message: Fields, index: number): Turn {
  const { role } = message
  const path = `messages.${index}`
  if (role !== 'user' && role !== 'assistant' && role !== 'system') throw unsayable(`${path}.role`)
  return { role, parts: readContent(message.content, `${path}.content`) }
}

function readContent(content: unknown, path: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  return objectsIn(content).flatMap((block, index) => readBlock(block, `${path}.${index}`))
}

/** Thoughts are signed for their provider, and results of a provider's own tools are in the text after. */
const unread = /^(redacted_)?thinking$|^server_tool_use$|_tool_result$/

function readBlock(block: Fields, path: string): Part[] {
  const { type } = block
  switch (type) {
    case 'text':
      return [textPart(textOr(block.text, ''))]
    case 'image':
      return [readMedia('image', objectOr(block.source), null, path)]
    case 'document':
      return readDocument(block, path)
    case 'tool_use':
      return [
        {
          type: 'call',
          id: originalId(textOr(block.id, '')),
          name: textOr(block.name, ''),
          arguments: argumentsJson(block.input) || '{}',
        },
      ]
    case 'tool_result':
      return [readResult(block, path)]
    case 'tool_reference':
      return [textPart(textOr(block.tool_name, ''))]
    case 'search_result':
      return [textPart(`${textOr(block.title, '')}\n${textOr(block.source, '')}`), ...readContent(block.content, path)]
    default:
      if (unread.test(String(type))) return []
      throw unsayable(`${path}.type`)
  }
}

function readMedia(type: MediaPart['type'], source: Fields, name: string | null, path: string): MediaPart {
  if (source.type !== 'base64') throw unsayable(`${path}.source.type`)
  return { type, mediaType: textOr(source.media_type, ''), data: textOr(source.data, ''), name }
}

function readDocument(block: Fields, path: string): Part[] {
  const source = objectOr(block.source)
  if (source.type === 'text') return [textPart(textOr(source.data, ''))]
  if (source.type === 'content') return readContent(source.content, `${path}.source.content`)
  return [readMedia('file', source, textOr(block.title, null), path)]
}

function readResult(block: Fields, path: string): ResultPart {
  const parts = readContent(block.content, `${path}.content`)
  const said = parts.filter((part): part is TextPart | MediaPart => !isCall(part) && !isResult(part))
  return { type: 'result', id: originalId(textOr(block.tool_use_id, '')), parts: said, failed: block.is_error === true }
}

function readTool({ tool, path }: { tool: Fields; path: string }): Tool {
  if (!isObject(tool.input_schema)) throw unsayable(`${path}.type`)
  const { name, description, input_schema: schema } = tool
  return {
    name: textOr(name, ''),
    description: textOr(description, null),
    schema,
    strict: tool.strict === true,
    own: null,
  }
}

function readChoice({ type, name }: Fields): Conversation['toolChoice'] {
  if (type === 'tool') return { name: textOr(name, '') }
  if (type === 'any') return 'required'
  return type === 'none' || type === 'auto' ? type : null
}

const readFormat = ({ type, schema }: Fields): Conversation['output'] =>
  type === 'json_schema' && isObject(schema)
    ? { name: 'answer', description: null, schema, strict: isClosed(schema) }
    : null

/** True for a schema without open fields, which OpenAI requires to enforce it. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  if (!isObject(schema)) return true
  const { properties, additionalProperties, required } = schema
  const names = Object.keys(objectOr(properties))
  const whole = additionalProperties === false && names.every((name) => stringsIn(required).includes(name))
  return (!isObject(properties) || whole) && Object.values(schema).every(isClosed)
}

function readEffort({ type, budget_tokens: budget }: Fields, { effort }: Fields): string | null {
  if (typeof effort === 'string') return effortOf(effort)
  return type === 'enabled' && typeof budget === 'number' ? effortOfBudget(budget) : null
}

/** The output limit bounds the thinking. */
export function writeMessages(conversation: Conversation, model: PricedModel, outputTokens: number) {
  const { turns, tools, toolChoice, parallelTools, output, stop } = conversation
  const messages = writeTurns(turns)
  const system = turns.filter(({ role }) => role === 'system').flatMap(({ parts }) => parts.filter(isText))
  if (output === 'json') system.push(textPart('ModelAnswer with one JSON object and nothing else.'))
  const thinking = forced(toolChoice) ? {} : thinkingOf(conversation, model, outputTokens)
  const format = typeof output === 'object' && output && { type: 'json_schema' as const, schema: output.schema }
  const { effort } = thinking
  return {
    messages,
    ...(system.length > 0 && { system: system.filter(isSaid) }),
    ...(tools.length > 0 && { tools: tools.map(writeTool), tool_choice: writeChoice(toolChoice, parallelTools) }),
    ...(stop.length > 0 && { stop_sequences: [...stop] }),
    ...(thinking.thinking ? { thinking: thinking.thinking } : takesTemperature(model) && writeSampling(conversation)),
    ...((format || effort) && { output_config: { ...(format && { format }), ...(effort && { effort }) } }),
  }
}

const forced = (choice: Conversation['toolChoice']): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null)

/** A turn that ends in results continues a thought that is missing here. */
function thinkingOf({ turns, effort }: Conversation, model: PricedModel, outputTokens: number): Thinking {
  const last = turns.findLast(({ role }) => role !== 'system')
  return thinkingFor(effort, model, outputTokens, last?.parts.some(isResult) === true)
}
type Thinking = Partial<ReturnType<typeof thinkingFor>>

/** Only one of the two is used, at most 1. */
const writeSampling = ({ temperature, topP }: Conversation) => ({
  ...(temperature !== null && { temperature: Math.min(temperature, 1) }),
  ...(temperature === null && topP !== null && { top_p: topP }),
})

/** Messages requires a user's turn: without one the system's text is sent as one. */
function writeTurns(turns: readonly Turn[]) {
  const said = turns.filter(({ role }) => role !== 'system')
  const asked = said.length > 0 ? said : turns.map(({ parts }) => ({ role: 'user' as const, parts }))
  return joinTurns(asked).flatMap(({ role, parts }) => {
    // results answer the calls right before
    const ordered = [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))]
    const content = ordered.filter(isSaid).map(writePart)
    const from = role === 'assistant' ? ('assistant' as const) : ('user' as const)
    return content.length > 0 ? [{ role: from, content }] : []
  })
}

/** Messages refuses an empty text. */
const isSaid = (part: Part): boolean => part.type !== 'text' || part.text !== ''

function writePart(part: Part) {
  switch (part.type) {
    case 'call':
      return writeCall(part)
    case 'result':
      return writeResult(part)
    default:
      return writeSaid(part)
  }
}

function writeSaid(part: TextPart | MediaPart) {
  if (part.type === 'text') return { type: 'text' as const, text: part.text }
  const { mediaType, data, name } = part
  const title = name === null ? {} : { title: name }
  if (part.type === 'image') {
    const media_type = imageTypeOf(data, mediaType) as ImageType // safe because a provider refuses any other
    return { type: 'image' as const, source: { type: 'base64' as const, media_type, data } }
  }
  if (mediaType.startsWith('text/')) {
    const source = { type: 'text' as const, media_type: 'text/plain' as const, data: textOfBase64(data) }
    return { type: 'document' as const, source, ...title }
  }
  const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data }
  return { type: 'document' as const, source, ...title }
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

const writeCall = ({ id, name, arguments: args }: CallPart) => ({
  type: 'tool_use' as const,
  id,
  name,
  input: argumentsIn(args),
})

/** Other JSON is wrapped in an object. */
export function argumentsIn(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text || '{}')
    return isObject(parsed) ? parsed : { arguments: parsed }
  } catch {
    return { arguments: text }
  }
}

const writeResult = ({ id, parts, failed }: ResultPart) => ({
  type: 'tool_result' as const,
  tool_use_id: id,
  content: parts.filter(isSaid).map(writeSaid),
  ...(failed && { is_error: true }),
})

const writeTool = ({ name, description, schema }: Tool) => ({
  name,
  ...(description !== null && { description }),
  input_schema: { ...schema, type: 'object' as const },
})

function writeChoice(choice: Conversation['toolChoice'], parallel: boolean | null) {
  if (choice === 'none') return { type: 'none' as const }
  const single = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object' && choice !== null) return { type: 'tool' as const, name: choice.name, ...single }
  return { type: choice === 'required' ? ('any' as const) : ('auto' as const), ...single }
}

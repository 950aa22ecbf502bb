import { argumentsJson, isObject, objectsIn } from '../json.ts'
import type { PricedModel } from '../model.ts'
import {
  booleanOrNull,
  type CallPart,
  type Conversation,
  callersTools,
  dataUrl,
  type Fields,
  isCall,
  isMedia,
  isResult,
  isText,
  type MediaPart,
  numberOrNull,
  type OwnTool,
  objectOr,
  type Part,
  type ResultPart,
  readDataUrl,
  refuseFields,
  type TextPart,
  type Tool,
  type Turn,
  textOr,
  textPart,
  unsayable,
} from './conversation.ts'
import { takesEffort } from './effort.ts'

/** @throws validation naming a field that no other format has */
export function readResponses(fields: Fields): Conversation {
  refuseFields(fields, ['top_logprobs'])
  const { input } = fields
  const instructions = textOr(fields.instructions, '')
  const turns = typeof input === 'string' ? [turnOf('user', [textPart(input)])] : objectsIn(input).flatMap(readItem)
  return {
    turns: instructions === '' ? turns : [turnOf('system', [textPart(instructions)]), ...turns],
    tools: callersTools(fields).flatMap(({ tool, path }) => readTool(tool, path, null)),
    toolChoice: readChoice(fields.tool_choice),
    parallelTools: booleanOrNull(fields.parallel_tool_calls),
    output: readFormat(objectOr(objectOr(fields.text).format)),
    temperature: numberOrNull(fields.temperature),
    topP: numberOrNull(fields.top_p),
    stop: [],
    stopField: 'stop',
    effort: textOr(objectOr(fields.reasoning).effort, null),
  }
}

const turnOf = (role: Turn['role'], parts: readonly Part[]): Turn => ({ role, parts })

/** Thoughts are for their provider, and results of a provider's own tools are in the text after. */
const unread = ['reasoning', 'web_search_call']

function readItem(item: Fields, index: number): Turn[] {
  const path = `input.${index}`
  const { type = 'message', call_id: id } = item
  switch (type) {
    case 'message':
      return [readMessage(item, path)]
    case 'function_call':
      return [turnOf('assistant', [readCall(item, argumentsJson(item.arguments) || '{}')])]
    case 'custom_tool_call':
      return [turnOf('assistant', [readCall(item, JSON.stringify({ [freeformField]: textOr(item.input, '') }))])]
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const parts = readContent(item.output, `${path}.output`)
      return [turnOf('user', [{ type: 'result', id: textOr(id, ''), parts, failed: false }])]
    }
    default:
      if (unread.includes(String(type))) return []
      throw unsayable(`${path}.type`)
  }
}

const readCall = ({ call_id: id, name, namespace }: Fields, args: string): CallPart => ({
  type: 'call',
  id: textOr(id, ''),
  name: plainName(textOr(name, ''), textOr(namespace, null)),
  arguments: args,
})

function readMessage({ role, content }: Fields, path: string): Turn {
  const parts = readContent(content, `${path}.content`)
  if (role === 'system' || role === 'developer') return turnOf('system', parts)
  if (role === 'user' || role === 'assistant') return turnOf(role, parts)
  throw unsayable(`${path}.role`)
}

function readContent(content: unknown, path: string): (TextPart | MediaPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  return objectsIn(content).map((part, index) => readPart(part, `${path}.${index}`))
}

function readPart(part: Fields, path: string): TextPart | MediaPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(textOr(part.text, ''))
    case 'refusal':
      return textPart(textOr(part.refusal, ''))
    case 'input_image':
      return { type: 'image', ...readDataUrl(part.image_url, `${path}.image_url`), name: null }
    case 'input_file':
      return { type: 'file', ...readDataUrl(part.file_data, `${path}.file_data`), name: textOr(part.filename, null) }
    default:
      throw unsayable(`${path}.type`)
  }
}

/** The name of a namespace's tool in formats without namespaces. */
const plainName = (name: string, namespace: string | null): string =>
  namespace === null ? name : `${namespace}__${name}`

/** The one field of a function that stands for a tool which takes text. */
const freeformField = 'input'

function readTool(tool: Fields, path: string, namespace: string | null): Tool[] {
  const name = textOr(tool.name, '')
  const description = textOr(tool.description, null)
  const own = (freeform: boolean): OwnTool => ({ name, namespace, freeform })
  const shared = { name: plainName(name, namespace), description, strict: tool.strict === true }
  switch (tool.type) {
    case 'function': {
      const schema = objectOr(tool.parameters, { type: 'object', properties: {} })
      return [{ ...shared, schema, own: namespace === null ? null : own(false) }]
    }
    case 'custom':
      return [{ ...shared, description: describe(tool), schema: freeformSchema, own: own(true) }]
    case 'namespace':
      return objectsIn(tool.tools).flatMap((inner, index) => readTool(inner, `${path}.tools.${index}`, name))
    default:
      throw unsayable(`${path}.type`)
  }
}

const freeformSchema = {
  type: 'object',
  properties: { [freeformField]: { type: 'string' } },
  required: [freeformField],
  additionalProperties: false,
}

function describe({ description, format }: Fields): string {
  const { definition } = objectOr(format)
  return [description, definition].filter((each) => typeof each === 'string').join('\n\n')
}

export function freeformIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    return textOr(objectOr(parsed)[freeformField], text)
  } catch {
    return text
  }
}

function readChoice(choice: unknown): Conversation['toolChoice'] {
  if (choice === undefined || choice === null) return null
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const { type, name, namespace } = objectOr(choice)
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') throw unsayable('tool_choice')
  return { name: plainName(name, textOr(namespace, null)) }
}

function readFormat(format: Fields): Conversation['output'] {
  const { type, name, description, schema, strict } = format
  if (type === undefined || type === 'text') return null
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema' || !isObject(schema)) throw unsayable('text.format.type')
  return { name: textOr(name, 'answer'), description: textOr(description, null), schema, strict: strict === true }
}

/** @throws validation naming what Responses cannot express */
export function writeResponses(conversation: Conversation, model: PricedModel) {
  const { turns, tools, toolChoice, parallelTools, output, temperature, topP, stop, effort } = conversation
  if (stop.length > 0) throw unsayable(conversation.stopField)
  return {
    input: turns.flatMap(({ role, parts }) => writeTurn(role, parts)),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(tools.length > 0 && toolChoice !== null && { tool_choice: writeChoice(toolChoice) }),
    ...(tools.length > 0 && parallelTools !== null && { parallel_tool_calls: parallelTools }),
    ...(output !== null && { text: { format: writeFormat(output) } }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(effort !== null && takesEffort(model) && { reasoning: { effort } }),
  }
}

type Item = ReturnType<typeof writeResult | typeof writeCall | typeof writeText | typeof writeSaid>

/** Results are first, because they answer the calls before; a text of the assistant is a message of its own. */
function writeTurn(role: Turn['role'], parts: readonly Part[]): Item[] {
  if (role === 'assistant')
    return parts.flatMap((part) => (isCall(part) ? writeCall(part) : isText(part) ? writeText(part) : []))
  const said = parts.filter((part) => isText(part) || isMedia(part))
  return [...parts.filter(isResult).map(writeResult), ...(said.length > 0 ? [writeSaid(role, said)] : [])]
}

const writeResult = ({ id, parts }: ResultPart) => ({
  type: 'function_call_output' as const,
  call_id: id,
  output: parts.every(isText) && parts.length < 2 ? (parts[0]?.text ?? '') : parts.map(writePart),
})

const writeCall = ({ id, name, arguments: args }: CallPart) => ({
  type: 'function_call' as const,
  call_id: id,
  name,
  arguments: args,
})

const writeText = ({ text }: TextPart) => ({ type: 'message' as const, role: 'assistant' as const, content: text })

const writeSaid = (role: 'system' | 'user', parts: readonly (TextPart | MediaPart)[]) => ({
  type: 'message' as const,
  role,
  content: parts.map(writePart),
})

function writePart(part: TextPart | MediaPart) {
  if (part.type === 'text') return { type: 'input_text' as const, text: part.text }
  if (part.type === 'image') return { type: 'input_image' as const, image_url: dataUrl(part), detail: 'auto' as const }
  return { type: 'input_file' as const, filename: part.name ?? 'file', file_data: dataUrl(part) }
}

/** Left open, `strict` would be true here. */
const writeTool = ({ name, description, schema, strict }: Tool) => ({
  type: 'function' as const,
  name,
  description,
  parameters: schema,
  strict,
})

const writeChoice = (choice: NonNullable<Conversation['toolChoice']>) =>
  typeof choice === 'string' ? choice : { type: 'function' as const, name: choice.name }

function writeFormat(output: NonNullable<Conversation['output']>) {
  if (output === 'json') return { type: 'json_object' as const }
  const { name, description, schema, strict } = output
  return { type: 'json_schema' as const, name, ...(description !== null && { description }), schema, strict }
}

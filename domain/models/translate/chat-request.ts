import { argumentsJson, isObject, objectsIn } from '../json.ts'
import type { PricedModel } from '../model.ts'
import {
  booleanOrNull,
  type Conversation,
  dataUrl,
  type Fields,
  isCall,
  isMedia,
  isResult,
  isText,
  type MediaPart,
  numberOrNull,
  objectOr,
  type Part,
  type ResultPart,
  readDataUrl,
  refuseFields,
  stringsIn,
  type TextPart,
  type Tool,
  type Turn,
  textOr,
  textPart,
  unsayable,
} from './conversation.ts'
import { takesEffort } from './effort.ts'

/** @throws validation naming a field that no other format has */
export function readChat(fields: Fields): Conversation {
  refuseFields(fields, ['functions', 'function_call', 'logprobs', 'top_logprobs', 'logit_bias'])
  if (typeof fields.n === 'number' && fields.n > 1) throw unsayable('n')
  return {
    turns: objectsIn(fields.messages).map(readMessage),
    tools: objectsIn(fields.tools).map(readTool),
    toolChoice: readChoice(fields.tool_choice),
    parallelTools: booleanOrNull(fields.parallel_tool_calls),
    output: readFormat(objectOr(fields.response_format)),
    temperature: numberOrNull(fields.temperature),
    topP: numberOrNull(fields.top_p),
    stop: stringsIn(fields.stop),
    stopField: 'stop',
    effort: textOr(fields.reasoning_effort, null),
  }
}

function readMessage(message: Fields, index: number): Turn {
  const path = `messages.${index}`
  const parts = readContent(message.content, `${path}.content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts }
    case 'user':
      return { role: 'user', parts }
    case 'tool':
      return { role: 'user', parts: [{ type: 'result', id: textOr(message.tool_call_id, ''), parts, failed: false }] }
    case 'assistant':
      refuseFields(message, ['function_call'])
      return { role: 'assistant', parts: [...parts, ...objectsIn(message.tool_calls).map(readCall(path))] }
    default:
      throw unsayable(`${path}.role`)
  }
}

const readCall =
  (path: string) =>
  (call: Fields, index: number): Part => {
    if (!isObject(call.function)) throw unsayable(`${path}.tool_calls.${index}.type`)
    const { name, arguments: given } = call.function
    return { type: 'call', id: textOr(call.id, ''), name: textOr(name, ''), arguments: argumentsJson(given) || '{}' }
  }

function readContent(content: unknown, path: string): (TextPart | MediaPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  return objectsIn(content).map((part, index) => readPart(part, `${path}.${index}`))
}

function readPart(part: Fields, path: string): TextPart | MediaPart {
  const { type, image_url: image, file } = part
  if (type === 'text') return textPart(textOr(part.text, ''))
  if (type === 'refusal') return textPart(textOr(part.refusal, ''))
  if (type === 'image_url')
    return { type: 'image', ...readDataUrl(objectOr(image).url ?? image, `${path}.image_url.url`), name: null }
  if (type === 'file' && isObject(file)) {
    const read = readDataUrl(file.file_data, `${path}.file.file_data`)
    return { type: 'file', ...read, name: textOr(file.filename, null) }
  }
  throw unsayable(`${path}.type`)
}

function readTool(tool: Fields, index: number): Tool {
  if (!isObject(tool.function)) throw unsayable(`tools.${index}.type`)
  const { name, description, parameters, strict } = tool.function
  return {
    name: textOr(name, ''),
    description: textOr(description, null),
    schema: objectOr(parameters, { type: 'object', properties: {} }),
    strict: strict === true,
    own: null,
  }
}

function readChoice(choice: unknown): Conversation['toolChoice'] {
  if (choice === undefined || choice === null) return null
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : null
  if (typeof name !== 'string') throw unsayable('tool_choice')
  return { name }
}

function readFormat({ type, json_schema: format }: Fields): Conversation['output'] {
  if (type === undefined || type === 'text') return null
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema' || !isObject(format)) throw unsayable('response_format.type')
  return {
    name: textOr(format.name, 'answer'),
    description: textOr(format.description, null),
    schema: objectOr(format.schema, { type: 'object' }),
    strict: format.strict === true,
  }
}

export function writeChat(conversation: Conversation, model: PricedModel) {
  const { turns, tools, toolChoice, parallelTools, output, temperature, topP, stop, effort } = conversation
  if (stop.length > 4) throw unsayable(conversation.stopField)
  return {
    messages: turns.flatMap(writeTurn),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(tools.length > 0 && toolChoice !== null && { tool_choice: writeChoice(toolChoice) }),
    ...(tools.length > 0 && parallelTools !== null && { parallel_tool_calls: parallelTools }),
    ...(output !== null && { response_format: writeFormat(output) }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(stop.length > 0 && { stop: [...stop] }),
    ...(effort !== null && takesEffort(model) && { reasoning_effort: effort }),
  }
}

type Message = ReturnType<typeof writeSystem | typeof writeUser | typeof writeAssistant>[number]

function writeTurn({ role, parts }: Turn): Message[] {
  if (role === 'system') return writeSystem(parts)
  return role === 'user' ? writeUser(parts) : writeAssistant(parts)
}

/** One message, since some models take the system's first one only. */
const writeSystem = (parts: readonly Part[]) => [
  { role: 'system' as const, content: plainOr(parts.filter(isText)) ?? '' },
]

/** Results are first, because they answer the calls before; their media follow as the user's. */
function writeUser(parts: readonly Part[]) {
  const results = parts.filter(isResult)
  const shown = [...results.flatMap((result) => result.parts.filter(isMedia)), ...parts.filter(isSaid)]
  return [
    ...results.map(writeResult),
    ...(shown.length > 0 ? [{ role: 'user' as const, content: writeContent(shown) }] : []),
  ]
}

const isSaid = (part: Part): part is TextPart | MediaPart => isText(part) || isMedia(part)

const writeResult = ({ id, parts }: ResultPart) => ({
  role: 'tool' as const,
  tool_call_id: id,
  content: plainOr(parts.filter(isText)) ?? (parts.length > 0 ? 'Shown below.' : ''),
})

function writeAssistant(parts: readonly Part[]) {
  const calls = parts.filter(isCall)
  const content = plainOr(parts.filter(isText))
  if (calls.length === 0 && content === null) return []
  return [{ role: 'assistant' as const, content, ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }) }]
}

const writeCall = ({ id, name, arguments: args }: Extract<Part, { type: 'call' }>) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
})

/** As plain as possible, since not every provider takes a list; null for none. */
const plainOr = (parts: readonly TextPart[]) =>
  parts.length === 0
    ? null
    : parts.length === 1 && parts[0]
      ? parts[0].text
      : parts.map(({ text }) => ({ type: 'text' as const, text }))

const writeContent = (parts: readonly (TextPart | MediaPart)[]) =>
  parts.every(isText) ? (plainOr(parts) ?? '') : parts.map(writePart)

function writePart(part: TextPart | MediaPart) {
  if (part.type === 'text') return { type: 'text' as const, text: part.text }
  if (part.type === 'image') return { type: 'image_url' as const, image_url: { url: dataUrl(part) } }
  return { type: 'file' as const, file: { filename: part.name ?? 'file', file_data: dataUrl(part) } }
}

const writeTool = ({ name, description, schema, strict }: Tool) => ({
  type: 'function' as const,
  function: { name, ...(description !== null && { description }), parameters: schema, ...(strict && { strict }) },
})

const writeChoice = (choice: NonNullable<Conversation['toolChoice']>) =>
  typeof choice === 'string' ? choice : { type: 'function' as const, function: choice }

function writeFormat(output: NonNullable<Conversation['output']>) {
  if (output === 'json') return { type: 'json_object' as const }
  const { name, description, schema, strict } = output
  const json_schema = { name, ...(description !== null && { description }), schema, strict }
  return { type: 'json_schema' as const, json_schema }
}

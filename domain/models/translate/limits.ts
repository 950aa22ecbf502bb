import { textOfBase64, toBase64Url } from '../../base64.ts'
import { fingerprintOf } from '../../fingerprint.ts'
import type { ChatFormatName } from '../model.ts'
import { type Conversation, isCall, isResult, type Part, type Tool } from './conversation.ts'

/** Depends on the given name or id alone, so the result is the same in a whole conversation, and no state is kept. */

const nameLengths: Readonly<Record<ChatFormatName, number>> = {
  'openai-chat': 64,
  'openai-responses': 64,
  'anthropic-messages': 128,
}

/** OpenAI takes any character in an id; Anthropic takes any length. */
const idLengths = { 'openai-chat': 40, 'openai-responses': 64 } as const

const isPlain = (text: string): boolean => /^[\w-]+$/.test(text)

export function fitName(format: ChatFormatName, name: string): string {
  const most = nameLengths[format]
  if (name === '' || (isPlain(name) && name.length <= most)) return name
  const ending = `_${fingerprintOf(name)}`
  return name.replace(/[^\w-]/g, '_').slice(0, most - ending.length) + ending
}

export function fitId(format: ChatFormatName, id: string): string {
  if (format === 'anthropic-messages') return plainId(id)
  return id.length <= idLengths[format] ? id : `call_${fingerprintOf(id)}`
}

const encoded = 'b64_'

/** Only letters, digits, `_` and `-`; `originalId` reverses it. */
export const plainId = (id: string): string =>
  id === '' || (isPlain(id) && !id.startsWith(encoded)) ? id : encoded + toBase64Url(id)

export const keptId = (id: string): string => (isPlain(id) ? id : plainId(id))

export function originalId(id: string): string {
  if (!id.startsWith(encoded)) return id
  const original = textOfBase64(id.slice(encoded.length))
  return plainId(original) === id ? original : id
}

/** Fits all names and ids; a tool keeps its own name in `own`. */
export function fitTo(format: ChatFormatName, conversation: Conversation): Conversation {
  const { turns, tools, toolChoice } = conversation
  const fitPart = (part: Part): Part => {
    if (isCall(part)) return { ...part, id: fitId(format, part.id), name: fitName(format, part.name) }
    return isResult(part) ? { ...part, id: fitId(format, part.id) } : part
  }
  return {
    ...conversation,
    turns: turns.map(({ role, parts }) => ({ role, parts: parts.map(fitPart) })),
    tools: tools.map((tool, index) => rename(tool, fitName(format, freeName(tool, tools.slice(0, index))))),
    toolChoice: typeof toolChoice === 'object' && toolChoice ? { name: fitName(format, toolChoice.name) } : toolChoice,
  }
}

/** Two pairs of namespace and name may give the same text, so a later one gets a fingerprint. */
const freeName = ({ name, own }: Tool, before: readonly Tool[]): string =>
  own?.namespace != null && before.some((tool) => tool.name === name)
    ? `${name}_${fingerprintOf(`${own.namespace} ${own.name}`)}`
    : name

const rename = (tool: Tool, name: string): Tool =>
  tool.name === name ? tool : { ...tool, name, own: tool.own ?? { name: tool.name, namespace: null, freeform: false } }

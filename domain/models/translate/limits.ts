import { textOfBase64, toBase64Url } from '../../base64.ts'
import { fingerprintOf } from '../../fingerprint.ts'
import type { ChatFormatName } from '../model.ts'
import { type Conversation, isCall, isResult, type Part, type Tool } from './conversation.ts'

/**
 * Names of tools and ids of calls, within the limits of each vendor. Another name or id is made of the given one alone,
 * so a whole conversation has the same, and no state is kept.
 */

const nameLengths: Readonly<Record<ChatFormatName, number>> = {
  'openai-chat': 64,
  'openai-responses': 64,
  'anthropic-messages': 128,
}

/** OpenAI takes any character in an id; Anthropic takes any length. */
const idLengths = { 'openai-chat': 40, 'openai-responses': 64 } as const

const isPlain = (text: string): boolean => /^[\w-]+$/.test(text)

/** A tool's name as a format takes it. */
export function fitName(format: ChatFormatName, name: string): string {
  const most = nameLengths[format]
  if (name === '' || (isPlain(name) && name.length <= most)) return name
  const ending = `_${fingerprintOf(name)}`
  return name.replace(/[^\w-]/g, '_').slice(0, most - ending.length) + ending
}

/** A call's id as a format takes it. */
export function fitId(format: ChatFormatName, id: string): string {
  if (format === 'anthropic-messages') return plainId(id)
  return id.length <= idLengths[format] ? id : `call_${fingerprintOf(id)}`
}

const encoded = 'b64_'

/** An id that has only letters, digits, `_` and `-`, of which `originalId` makes the given one again. */
export const plainId = (id: string): string =>
  id === '' || (isPlain(id) && !id.startsWith(encoded)) ? id : encoded + toBase64Url(id)

/** An id that a client sends back: one with only these characters is left as it is. */
export const keptId = (id: string): string => (isPlain(id) ? id : plainId(id))

/** The id that `plainId` was given. */
export function originalId(id: string): string {
  if (!id.startsWith(encoded)) return id
  const original = textOfBase64(id.slice(encoded.length))
  return plainId(original) === id ? original : id
}

/** A conversation with the names and ids that a format takes; a tool remembers its own name. */
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

/** The name of a tool, where one before it has not got the same: a namespace and a name may say what another pair says. */
const freeName = ({ name, own }: Tool, before: readonly Tool[]): string =>
  own?.namespace != null && before.some((tool) => tool.name === name)
    ? `${name}_${fingerprintOf(`${own.namespace} ${own.name}`)}`
    : name

const rename = (tool: Tool, name: string): Tool =>
  tool.name === name ? tool : { ...tool, name, own: tool.own ?? { name: tool.name, namespace: null, freeform: false } }

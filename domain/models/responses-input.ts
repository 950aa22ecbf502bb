import { isObject } from './dialect.ts'
import { type Media, onlyFields, refused } from './request.ts'

/**
 * Fields of an input item that are read. `id` and `status` are dropped: an id names something the provider would have
 * stored, and nothing is stored.
 */
const itemFields: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(['type', 'role', 'content', 'phase']),
  function_call: new Set(['type', 'call_id', 'name', 'namespace', 'arguments']),
  function_call_output: new Set(['type', 'call_id', 'output']),
  custom_tool_call: new Set(['type', 'call_id', 'name', 'namespace', 'input']),
  custom_tool_call_output: new Set(['type', 'call_id', 'output']),
  reasoning: new Set(['type', 'id', 'summary', 'content', 'encrypted_content']),
}

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  input_text: new Set(['type', 'text']),
  output_text: new Set(['type', 'text', 'annotations', 'logprobs']),
  refusal: new Set(['type', 'refusal']),
  input_image: new Set(['type', 'image_url', 'detail']),
  input_file: new Set(['type', 'filename', 'file_data', 'detail']),
}

const details = new Set<unknown>([undefined, null, 'auto', 'low', 'high'])

/** The input of a Responses request without what would have to be looked up. @throws validation naming the field */
export function readInput(input: string | readonly unknown[], media: Media): unknown {
  if (typeof input === 'string') return input
  return input.flatMap((item, index) => readItem(item, `input.${index}`, media))
}

function readItem(item: unknown, path: string, media: Media): unknown[] {
  if (!isObject(item)) throw refused(path, 'Expected an object with a type.')
  const type = item.type === undefined || item.type === null ? 'message' : String(item.type)
  const allowed = Object.hasOwn(itemFields, type) ? itemFields[type] : undefined
  if (!allowed) {
    const why = `Only ${Object.keys(itemFields).join(', ')} items are accepted; nothing is stored that could be looked up.`
    throw refused(`${path}.type`, why)
  }
  const { id, status: _, ...rest } = item
  const kept = type === 'reasoning' ? { ...rest, id } : rest
  onlyFields(kept, allowed, path)
  // Without its encrypted content a reasoning item is only the name of something stored.
  if (type === 'reasoning' && typeof item.encrypted_content !== 'string') return []
  for (const name of ['content', 'output'] as const) readParts(item[name], `${path}.${name}`, media)
  return [Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null))]
}

function readParts(parts: unknown, path: string, media: Media): void {
  if (isObject(parts)) throw refused(path, 'Expected text or a list of parts.')
  if (!Array.isArray(parts)) return
  for (const [index, part] of parts.entries()) {
    // A reasoning item's own text is not a part anybody sends.
    if (isObject(part) && part.type === 'reasoning_text') continue
    readPart(part, `${path}.${index}`, media)
  }
}

function readPart(part: unknown, path: string, media: Media): void {
  if (!isObject(part)) throw refused(path, 'Expected an object with a type.')
  const type = String(part.type)
  const allowed = Object.hasOwn(partFields, type) ? partFields[type] : undefined
  if (!allowed) throw refused(`${path}.type`, `Only ${Object.keys(partFields).join(', ')} parts are accepted.`)
  onlyFields(part, allowed, path)
  if (!details.has(part.detail)) throw refused(`${path}.detail`, 'Use auto, low or high.')
  if (type === 'input_image') media.addImage(part.image_url, `${path}.image_url`)
  if (type === 'input_file') media.addFile(part.file_data, `${path}.file_data`)
}

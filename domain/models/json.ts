export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // a surrogate pair is two units and four bytes: two more than counted by length
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}

/**
 * Replaces half surrogate pairs by U+FFFD: programs cut texts inside an emoji, and providers refuse the halves.
 * `JSON.stringify` writes only halves as such escapes.
 */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud') ? json.replace(/(?<=(?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '\ufffd') : json

export const textBytes = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? utf8Length(value) : 0), 0)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isObject) : []

/** Arguments as JSON, which some servers write as text and others as a value; empty for none. */
export const argumentsJson = (given: unknown): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given)

export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** UTF-8 bytes of all names, texts and numbers, without the data of images and files. */
export function contentBytes(value: unknown): number {
  if (typeof value === 'string') return value.startsWith('data:') ? 0 : utf8Length(value)
  if (typeof value === 'number') return String(value).length
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + contentBytes(each), 0)
  if (!isObject(value)) return 0
  if (value.type === 'base64') return 0
  return Object.entries(value).reduce((sum, [name, each]) => sum + utf8Length(name) + contentBytes(each), 0)
}

import { isObject } from './json.ts'

/** Names that programs use for types which have another one. */
const usualNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/jpe': 'image/jpeg',
  'image/jfif': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
}

const unusualName = /image\/(jpg|jpe|jfif|pjpeg|x-png)\b/i

const usualType = (type: string): string => usualNames[type.toLowerCase()] ?? type

const usualUrl = (url: unknown): unknown =>
  typeof url === 'string' && url.startsWith('data:')
    ? url.slice(0, 100).replace(unusualName, usualType) + url.slice(100)
    : url

/** Where messages have parts, and parts have others. */
const nested = ['messages', 'input', 'content', 'output', 'source'] as const

export const withUsualTypes = (body: unknown, rawBody: string): unknown =>
  unusualName.test(rawBody) ? usualTypesIn(body) : body

function usualTypesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(usualTypesIn)
  if (!isObject(value)) return value
  const { media_type: type, image_url: image } = value
  return {
    ...value,
    ...Object.fromEntries(nested.filter((name) => name in value).map((name) => [name, usualTypesIn(value[name])])),
    ...(typeof type === 'string' && { media_type: usualType(type) }),
    ...(typeof image === 'string' && { image_url: usualUrl(image) }),
    ...(isObject(image) && { image_url: { ...image, url: usualUrl(image.url) } }),
  }
}

const beginnings: Readonly<Record<string, string>> = {
  iVBORw0KGgo: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
}

/** The type by the first characters of the base64, else the declared one: Anthropic refuses a wrong type. */
export const imageTypeOf = (data: string, said: string): string =>
  Object.entries(beginnings).find(([beginning]) => data.startsWith(beginning))?.[1] ?? usualType(said.toLowerCase())

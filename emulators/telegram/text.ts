/**
 * A text and its entities as Telegram takes them. Telegram drops some of what is wrong here in silence, and this
 * refuses it.
 */
import type { MessageEntity } from '@grammyjs/types'
import * as z from 'zod'
import { bad } from './errors.ts'

const MOST_CHARACTERS = 4096
const MOST_ENTITIES = 100
/** Limit of a text before its entities are read. */
const MOST_BYTES = 1 << 15

const entityTypes = [
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  'phone_number',
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
  'pre',
  'text_link',
  'text_mention',
  'custom_emoji',
] as const

const entity = z.looseObject({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: z.string().optional(),
  language: z.string().optional(),
})
export const entities = z.array(z.looseObject({}).transform(readEntity))

/** @throws ApiFailure in the words of Telegram's own server */
function readEntity(given: object): z.infer<typeof entity> {
  const parsed = (why: string) => bad(`can't parse MessageEntity: ${why}`)
  for (const field of ['offset', 'length', 'type']) if (!(field in given)) throw parsed(`Can't find field "${field}"`)
  const found = entity.safeParse(given)
  if (!found.success) throw parsed(`Field "${found.error.issues[0]?.path.join('.')}" is of a wrong type`)
  if (!entityTypes.some((type) => type === found.data.type)) throw parsed('Unsupported type specified')
  if (found.data.type === 'text_link' && found.data.url === undefined) throw parsed('Can\'t find field "url"')
  return found.data
}

const quotes = ['blockquote', 'expandable_blockquote']
const codes = ['code', 'pre']
const looks = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler']

/** The text as it will be shown. @throws ApiFailure in Telegram's words */
export function checkText(
  text: string,
  given: Entity[] = [],
  limits: { empty?: boolean } = {},
): { text: string; entities: MessageEntity[] } {
  if (Buffer.byteLength(text) > MOST_BYTES) throw bad('text is too long')
  if (given.length > MOST_ENTITIES) throw bad('ENTITIES_TOO_LONG')
  for (const [at, one] of given.entries()) {
    checkBounds(text, one)
    if (one.type === 'text_link' && !isLink(one.url ?? ''))
      throw bad(`entity URL '${one.url}' is invalid: Wrong HTTP URL`)
    for (const other of given.slice(at + 1)) checkPair(one, other)
  }
  if (text.trim() === '' && !limits.empty) throw bad('message text is empty')
  if (text.length > MOST_CHARACTERS) throw bad('message is too long')
  // safe because the schema has the fields of each type
  return { text, entities: given as unknown as MessageEntity[] }
}

/** Offsets count UTF-16 units, and none is within a character of two of them. */
function checkBounds(text: string, { offset, length }: Entity): void {
  const end = offset + length
  if (offset < 0 || length < 1 || offset >= text.length)
    throw bad(`entity begins after the end of the text at UTF-16 offset ${offset}`)
  if (splitsPair(text, offset))
    throw bad(`entity begins in a middle of a UTF-16 symbol at byte offset ${bytesTo(text, offset)}`)
  const begins = `entity beginning at UTF-16 offset ${offset}`
  if (end > text.length) throw bad(`${begins} ends after the end of the text at UTF-16 offset ${end}`)
  if (splitsPair(text, end))
    throw bad(`${begins} ends in a middle of a UTF-16 symbol at byte offset ${bytesTo(text, end)}`)
}

/** Bytes of UTF-8 up to the end of the character that a place is within. */
const bytesTo = (text: string, within: number): number => Buffer.byteLength(text.slice(0, within + 1))

const splitsPair = (text: string, at: number) =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1)) && at > 0

function isLink(url: string): boolean {
  const { protocol = '' } = URL.parse(url) ?? {}
  return ['http:', 'https:', 'tg:', 'mailto:', 'tel:'].includes(protocol)
}

type Entity = z.infer<typeof entity>

/** The rules of nesting, as the documentation of MessageEntity has them. */
function checkPair(a: Entity, b: Entity): void {
  const [outer, inner] = a.length >= b.length ? [a, b] : [b, a]
  const [from, to] = [Math.max(a.offset, b.offset), Math.min(a.offset + a.length, b.offset + b.length)]
  if (from >= to) return
  const within = inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length
  if (!within) throw bad("ENTITIES_OVERLAP: one entity isn't contained in the other")
  const both = (types: string[]) => types.includes(a.type) && types.includes(b.type)
  const either = (types: string[]) => types.includes(a.type) || types.includes(b.type)
  if (both(quotes)) throw bad("ENTITIES_NESTED: block quotations can't be nested")
  if (either(codes) && !either(quotes)) throw bad("ENTITIES_NESTED: code can't contain or be part of others")
  if (!either(looks) && !either(quotes)) throw bad("ENTITIES_NESTED: these entities can't contain each other")
}

/** The entities that Telegram finds in people's texts. */
export function detected(text: string): MessageEntity[] {
  const found = (type: 'bot_command' | 'mention', pattern: RegExp): MessageEntity[] =>
    [...text.matchAll(pattern)].map(({ index, 0: all }) => ({ type, offset: index, length: all.length }))
  return [
    ...found('bot_command', /(?<![\w/@])\/[a-z0-9_]{1,64}(?:@\w{3,32})?(?!\w)/gi),
    ...found('mention', /(?<![\w@/])@\w{4,32}(?!\w)/g),
  ].sort((a, b) => a.offset - b.offset)
}

/** What Telegram takes as a text and its entities. This is stricter than Telegram, which drops some of what is wrong here in silence. */
import type { MessageEntity } from '@grammyjs/types'
import * as z from 'zod'
import { bad } from './errors.ts'

const MOST_CHARACTERS = 4096
const MOST_ENTITIES = 100

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

export const entities = z
  .array(
    z.looseObject({
      type: z.enum(entityTypes),
      offset: z.int().min(0),
      length: z.int().min(1),
      url: z.string().optional(),
      language: z.string().optional(),
    }),
  )
  .max(MOST_ENTITIES)

const quotes = ['blockquote', 'expandable_blockquote']
const codes = ['code', 'pre']
const looks = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler']

/** The text as it will be shown. @throws ApiFailure in Telegram's words */
export function checkText(
  text: string,
  given: z.infer<typeof entities> = [],
  limits: { empty?: boolean } = {},
): { text: string; entities: MessageEntity[] } {
  if (!text.isWellFormed()) throw bad('strings must be encoded in UTF-8')
  if (text.trim() === '' && !limits.empty) throw bad('message text is empty')
  if (text.length > MOST_CHARACTERS) throw bad('message is too long')
  for (const [at, entity] of given.entries()) {
    const end = entity.offset + entity.length
    if (end > text.length || splitsPair(text, entity.offset) || splitsPair(text, end))
      throw bad('ENTITY_BOUNDS_INVALID')
    if (entity.type === 'text_link' && !isLink(entity.url ?? '')) throw bad('ENTITY_URL_INVALID')
    for (const other of given.slice(at + 1)) checkPair(entity, other)
  }
  // safe because the schema has the fields of each type
  return { text, entities: given as unknown as MessageEntity[] }
}

const splitsPair = (text: string, at: number) =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1)) && at > 0

function isLink(url: string): boolean {
  const { protocol = '' } = URL.parse(url) ?? {}
  return ['http:', 'https:', 'tg:', 'mailto:', 'tel:'].includes(protocol)
}

type Entity = z.infer<typeof entities>[number]

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

/** What Telegram finds in what people write. */
export function detected(text: string): MessageEntity[] {
  const found = (type: 'bot_command' | 'mention', pattern: RegExp): MessageEntity[] =>
    [...text.matchAll(pattern)].map(({ index, 0: all }) => ({ type, offset: index, length: all.length }))
  return [
    ...found('bot_command', /(?<![\w/@])\/[a-z0-9_]{1,64}(?:@\w{3,32})?(?!\w)/gi),
    ...found('mention', /(?<![\w@/])@\w{4,32}(?!\w)/g),
  ].sort((a, b) => a.offset - b.offset)
}

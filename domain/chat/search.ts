import * as z from 'zod'
import { characterEnd } from '../text.ts'
import { text } from '../text-schema.ts'
import { timestamp } from '../timestamp.ts'
import { type Message, message } from './message.ts'

/** Messages that one search reads, newest first; the next search continues there. */
export const searchedAtOnce = 1_000

export const mostFound = 50

export const searchText = text().trim().min(2).max(100).meta({
  example: 'tide',
  description: 'Words; a message must contain all of them. Case and accents are ignored.',
})

export const foundMessage = message
  .pick({ id: true, role: true, conversation: true, at: true })
  .extend({
    excerpt: z
      .string()
      .meta({ example: '… high tide is at ten tomorrow …', description: 'The text around the first word.' }),
  })
  .meta({ id: 'FoundMessage' })
type FoundMessage = z.infer<typeof foundMessage>

export const searchedTo = timestamp
  .nullable()
  .meta({ description: 'The time of the last message that was searched; null if none was.' })

/** Without case and accents. As long as the text, so that a place in one is a place in the other. */
export const folded = (text: string): string =>
  Array.from(text, (character) => {
    const [base = character] = character.normalize('NFD')
    const small = base.toLowerCase()
    return small.length === character.length ? small : character
  }).join('')

export const wordsOf = (text: string): string[] => [...new Set(folded(text).split(/\s+/).filter(Boolean))]

const before = 60
const after = 140

/** Null if one of the words is missing. */
export function excerptOf(text: string, words: readonly string[]): string | null {
  const searched = folded(text)
  const places = words.map((word) => searched.indexOf(word))
  const first = Math.min(...places)
  if (first < 0) return null
  const from = characterEnd(text, first - before)
  const to = characterEnd(text, first + after)
  const shown = text.slice(from, to).toWellFormed().replaceAll(/\s+/g, ' ').trim()
  return `${from > 0 ? '… ' : ''}${shown}${to < text.length ? ' …' : ''}`
}

/** `last`: the last message read. `isWhole`: false when the search ended early because of too many hits. */
export function find(
  messages: readonly Message[],
  text: string,
): { found: FoundMessage[]; last: Message | undefined; isWhole: boolean } {
  const words = wordsOf(text)
  const matches: FoundMessage[] = []
  for (const [looked, message] of messages.entries()) {
    const excerpt = excerptOf(textOf(message), words)
    if (excerpt === null) continue
    const { id, role, conversation, at } = message
    if (matches.push({ id, role, conversation, at, excerpt }) === mostFound)
      return { found: matches, last: message, isWhole: looked === messages.length - 1 }
  }
  return { found: matches, last: messages.at(-1), isWhole: true }
}

const textOf = ({ text, attachments = [] }: Message): string =>
  [text, ...attachments.map(({ name }) => name)].join('\n')

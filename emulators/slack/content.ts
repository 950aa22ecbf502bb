/** A message's content: its text, Markdown or blocks, within Slack's limits, and the people it notifies. */
import * as z from 'zod'
import { type Arguments, optional, structured } from './api/arguments.ts'
import { SlackError } from './api/error.ts'
import type { Block, Message } from './records.ts'

/** Characters of all Markdown of a message, of a plain text that is sent and of one that is updated. */
const most = { markdown: 12_000, text: 40_000, updated: 4_000, blocks: 50, attachments: 100 } as const

const plain = (length: number) =>
  z.object({ type: z.literal('plain_text'), text: z.string().min(1).max(length), emoji: z.boolean().optional() })
const button = z.object({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255).optional(),
  text: plain(75),
  value: z.string().max(2000).optional(),
  url: z.url().max(3000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
})
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('markdown'), text: z.string().min(1).max(most.markdown) }),
  z.object({ type: z.literal('divider') }),
  z.object({ type: z.literal('header'), text: plain(150) }),
  z.object({
    type: z.literal('section'),
    text: z.union([plain(3000), z.object({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3000) })]),
  }),
  z.object({ type: z.literal('actions'), elements: z.array(button).min(1).max(25) }),
])

const blocks = z
  .array(block)
  .max(most.blocks)
  .refine(
    (all) => all.reduce((sum, each) => sum + (each.type === 'markdown' ? each.text.length : 0), 0) <= most.markdown,
    'the Markdown of all blocks is too long',
  )
  .refine((all) => {
    const ids = all.flatMap((each) => (each.type === 'actions' ? each.elements.map(({ action_id }) => action_id) : []))
    const named = ids.filter((id) => id !== undefined)
    return new Set(named).size === named.length
  }, 'action_id is there twice')

export type Content = Pick<Message, 'text' | 'blocks' | 'format'>

/** @throws SlackError `no_text`, `markdown_text_conflict`, `msg_too_long`, `invalid_blocks` */
export function readContent(given: Arguments, updating = false): Content {
  const [text, markdown] = [optional(given, 'text'), optional(given, 'markdown_text')]
  structured(given, 'blocks', z.array(z.unknown()), 'invalid_blocks_format')
  const sent = structured<Block[]>(given, 'blocks', blocks, 'invalid_blocks')
  if (sent && blocksMadeOf(sent) > most.blocks) throw new SlackError('msg_blocks_too_long')
  const attachments = structured(given, 'attachments', z.array(z.unknown()), 'invalid_attachments') ?? []
  if (attachments.length > most.attachments) throw new SlackError('too_many_attachments')
  if (markdown !== undefined) {
    if (text !== undefined || sent) throw new SlackError('markdown_text_conflict')
    return markdownContent(markdown)
  }
  if (text === undefined && !sent?.length) throw new SlackError('no_text')
  if ((text ?? '').length > (updating ? most.updated : most.text)) throw new SlackError('msg_too_long')
  if (sent?.length) return { text: text ?? fallbackOf(sent), blocks: sent, format: 'blocks' }
  return { text: text ?? '', blocks: [], format: 'text' }
}

/**
 * Slack makes blocks of its own of Markdown: one of each heading, rule, table and piece of code, and of what is between
 * them.
 */
const blocksMadeOf = (all: Block[]): number =>
  all.reduce((sum, { type, text }) => sum + (type === 'markdown' && typeof text === 'string' ? partsOf(text) : 1), 0)

function partsOf(markdown: string): number {
  const marked = markdown.replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, '# code\n')
  let [parts, isProse] = [0, false]
  for (const line of marked.split('\n').filter((each) => each.trim() !== '')) {
    const isOwn = /^ {0,3}(?:#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$)/.test(line)
    if (isOwn || !isProse) parts += 1
    isProse = !isOwn
  }
  return parts
}

/** @throws SlackError */
export function markdownContent(markdown: string): Content {
  if (markdown.length > most.markdown) throw new SlackError('msg_too_long')
  return { text: markdown, blocks: [{ type: 'markdown', text: markdown }], format: 'markdown_text' }
}

const fallbackOf = (all: Block[]): string =>
  all.flatMap(({ type, text }) => (type === 'markdown' && typeof text === 'string' ? [text] : [])).join('\n')

/**
 * The mentions in a message: users by id, and `here`, `channel` and `everyone`; in Markdown also by their plain names.
 */
export function notified({ text, blocks, format }: Content): string[] {
  const whole = [
    text,
    ...blocks.map(({ text: inner }) => (typeof inner === 'string' ? inner : JSON.stringify(inner ?? ''))),
  ]
  const all = whole.join('\n')
  const found = [...all.matchAll(/<@([UW][A-Z0-9]+)|<!(here|channel|everyone|subteam\^\w+)/gi)]
  if (format !== 'text') found.push(...proseOf(all).matchAll(/(?<![\w.+-])@(here|channel|everyone)\b/gi))
  return [...new Set(found.map(([, who, group]) => who ?? group ?? ''))]
}

/** Markdown without its code and the addresses of its links, where plain names call nobody. */
const proseOf = (markdown: string): string =>
  [
    /(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\1|$)/g,
    /(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)/g,
    /^(?: {4}|\t).*$/gm,
    /\]\([^)]*\)/g,
    /\b(?:https?:\/\/|www\.)\S+/gi,
  ].reduce((text, pattern) => text.replaceAll(pattern, ' '), markdown)

/** A text as a person wrote it, whose `&`, `<` and `>` Slack keeps as entities. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** A message's displayed text: its blocks', or its text. */
export const wordsOf = ({ text, blocks: all }: Pick<Message, 'text' | 'blocks'>): string => fallbackOf(all) || text

/** The buttons of a message, in their order. */
export const buttonsOf = ({ blocks: all }: Pick<Message, 'blocks'>) =>
  all.flatMap(({ elements = [] }, place) =>
    elements.flatMap((element) => {
      const found = button.safeParse(element)
      return found.success
        ? [{ ...found.data, action_id: found.data.action_id ?? `a${place}`, block_id: `b${place}` }]
        : []
    }),
  )

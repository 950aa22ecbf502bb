/** Slack's markup as plain text for the agent, and the agent's Markdown so that it calls nobody. */
import { platformLimits } from '../../domain/channels/platform.ts'
import { read } from '../../domain/markdown/lexer.ts'
import { type Layout, layoutOf } from '../../domain/markdown/spans.ts'

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** A person's text, without Slack's markup of links and mentions, and without our own name. */
export const plainText = (markup: string, ownUser: string | undefined): string =>
  markup
    .replaceAll(/<([^<>\n]{1,4000})>/g, (_, inner: string) => (inner === `@${ownUser}` ? '' : written(inner)))
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    .trim()

/** The people whom a text calls, by their ids. */
export const calledIn = (markup: string): string[] =>
  [...markup.matchAll(/<@([UW][A-Z0-9]{1,30})>/g)].flatMap(([, user]) => user ?? [])

/** `https://example.com|this page` → `this page (https://example.com)`; `@U1|ada` → `@ada`; `!here` → `@here`. */
function written(inner: string): string {
  const cut = inner.indexOf('|')
  const [target, label] = cut < 0 ? [inner, ''] : [inner.slice(0, cut), inner.slice(cut + 1)]
  if (target.startsWith('@') || target.startsWith('#')) return label ? target.slice(0, 1) + label : target
  if (target.startsWith('!')) return label || `@${target.slice(1)}`
  const address = target.replace(/^mailto:/, '')
  return label && label !== address && label !== target ? `${label} (${address})` : address
}

/**
 * Joins two characters without a gap and shows as nothing: what it stands in is no mention any more, in code neither.
 */
const joiner = '\u2060'

/** A similar character, where there is no room for an additional one. */
const lookalikes: Readonly<Record<string, string>> = { '<': '\u2039', '@': '\uff20' }

/**
 * Slack makes a block of each heading, and refuses a message of more than fifty: many headings are shown bold instead.
 */
export function fewerBlocks(markdown: string): string {
  const tokens = read(markdown)
  const own = tokens.filter(({ type }) => ['heading', 'code', 'table', 'hr'].includes(type))
  // Each of these blocks may have a block of prose next to it.
  if (own.length * 2 < mostBlocks) return markdown
  const bold = tokens.map((token) => (token.type === 'heading' ? boldHeading(token.raw) : token.raw)).join('')
  return bold.length <= platformLimits.slack.textCharacters ? bold : markdown
}

/** Blocks of a message, of which one may be for buttons. */
const mostBlocks = 49

const boldHeading = (raw: string): string =>
  raw.replace(
    /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(\n*)$/,
    (_, words: string, end: string) => `**${words.replaceAll('**', '')}**${end}`,
  )

/**
 * Markdown that says the same in a message's length, and notifies neither a person, a group nor a channel. Code and
 * addresses stay as they are, but for the marks that make a mention wherever they are.
 */
export function withoutMentions(markdown: string): string {
  const whole = markdown.toWellFormed()
  const layout = layoutOf(whole)
  const signs = mentionsIn(whole, keptIn(layout))
  const apart = joined(whole, [...signs.map((at) => at + 1), ...gapsIn(whole, layout)])
  if (apart.length <= platformLimits.slack.textCharacters) return apart
  return signs.reduceRight(
    (text, at) => text.slice(0, at) + (lookalikes[text.charAt(at)] ?? '') + text.slice(at + 1),
    whole,
  )
}

/** The text with a joiner at each of these places. */
function joined(text: string, places: readonly number[]): string {
  let from = 0
  let made = ''
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    made += text.slice(from, place) + joiner
    from = place
  }
  return made + text.slice(from)
}

/**
 * Positions where a style begins or ends between a letter and punctuation, as is usual in Chinese, Japanese and Korean:
 * CommonMark requires a letter on both sides there.
 */
const gapsIn = (text: string, { spans }: Layout): number[] =>
  spans.flatMap(({ kind, start, end, from, to }) => {
    if (kind !== 'style') return []
    const opens = isLetter(text.charAt(start - 1)) && isPunctuation(text.charAt(from))
    // The rest of a growing message must not change the text that is already shown.
    const closes =
      /[\u3000-\u303f\uff01-\uff60\u2018-\u201d\u2026]/.test(text.charAt(to - 1)) ||
      (isPunctuation(text.charAt(to - 1)) && isLetter(text.charAt(end)))
    return [...(opens ? [from] : []), ...(closes ? [to] : [])]
  })

const isPunctuation = (character = ''): boolean => /[\p{P}\p{S}]/u.test(character)
const isLetter = (character = ''): boolean => /[^\s\p{P}\p{S}]/u.test(character)

/** From one place to another. */
type Range = readonly [number, number]

/** Code, and the addresses of links. */
const keptIn = ({ spans }: Layout): Range[] =>
  spans.flatMap(({ kind, start, end, to }): Range[] => {
    if (kind === 'code' || kind === 'codespan') return [[start, end]]
    return kind === 'link' ? [[to, end]] : []
  })

const mentions = /<(?=[@#]|!(?:here|channel|everyone|subteam|date|group)\b)|@(?=(?:here|channel|everyone|group)\b)/gi

/** As Slack reads a mention itself; code has many other words after these signs. */
const certain = /^<(?:@[UWB][A-Z0-9]+|#[CDG][A-Z0-9]+|!(?:here|channel|everyone|subteam|date|group)\b)/i

/** Where the signs of mentions are. */
const mentionsIn = (text: string, kept: readonly Range[]): number[] =>
  Array.from(text.matchAll(mentions), ({ index }) => index).filter(
    (at) => !kept.some(([start, end]) => start <= at && at < end) || certain.test(text.slice(at, at + mostOfMention)),
  )

/** Characters in which a mention shows. */
const mostOfMention = 40

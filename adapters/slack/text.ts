/** Converts Slack's markup to plain text, and an agent's Markdown to text without mentions. */
import { platformLimits } from '../../domain/channels/platform.ts'
import { read } from '../../domain/markdown/lexer.ts'
import { type Layout, layoutOf } from '../../domain/markdown/spans.ts'

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Removes markup of links and mentions, and our own name. */
export const plainText = (markup: string, ownUser: string | undefined): string =>
  markup
    .replaceAll(/<([^<>\n]{1,4000})>/g, (_, inner: string) => (inner === `@${ownUser}` ? '' : written(inner)))
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    .trim()

/** Ids of the people that a text mentions. */
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

/** Invisible and without width: it breaks a mention, even in code. */
const joiner = '\u2060'

/** Similar characters, where there is no room for the joiner. */
const lookalikes: Readonly<Record<string, string>> = { '<': '\u2039', '@': '\uff20' }

/** Slack makes each heading a block and refuses more than fifty, so many headings become bold text. */
export function fewerBlocks(markdown: string): string {
  const tokens = read(markdown)
  const own = tokens.filter(({ type }) => ['heading', 'code', 'table', 'hr'].includes(type))
  // Each heading may have a block of prose next to it.
  if (own.length * 2 < mostBlocks) return markdown
  const bold = tokens.map((token) => (token.type === 'heading' ? boldHeading(token.raw) : token.raw)).join('')
  return bold.length <= platformLimits.slack.textCharacters ? bold : markdown
}

/** Slack's maximum of fifty, minus one for buttons. */
const mostBlocks = 49

const boldHeading = (raw: string): string =>
  raw.replace(
    /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(\n*)$/,
    (_, words: string, end: string) => `**${words.replaceAll('**', '')}**${end}`,
  )

/** Same meaning and length limit, without mentions. Code and addresses change only at mentions. */
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

function joined(text: string, places: readonly number[]): string {
  let from = 0
  let made = ''
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    made += text.slice(from, place) + joiner
    from = place
  }
  return made + text.slice(from)
}

/** Places between punctuation and a letter where CommonMark sees no style, as in Chinese or Japanese. */
const gapsIn = (text: string, { spans }: Layout): number[] =>
  spans.flatMap(({ kind, start, end, from, to }) => {
    if (kind !== 'style') return []
    const opens = isLetter(text.charAt(start - 1)) && isPunctuation(text.charAt(from))
    // A growing message must not change the text that is already shown.
    const closes =
      /[\u3000-\u303f\uff01-\uff60\u2018-\u201d\u2026]/.test(text.charAt(to - 1)) ||
      (isPunctuation(text.charAt(to - 1)) && isLetter(text.charAt(end)))
    return [...(opens ? [from] : []), ...(closes ? [to] : [])]
  })

const isPunctuation = (character = ''): boolean => /[\p{P}\p{S}]/u.test(character)
const isLetter = (character = ''): boolean => /[^\s\p{P}\p{S}]/u.test(character)

type Range = readonly [number, number]

/** Ranges of code and link addresses. */
const keptIn = ({ spans }: Layout): Range[] =>
  spans.flatMap(({ kind, start, end, to }): Range[] => {
    if (kind === 'code' || kind === 'codespan') return [[start, end]]
    return kind === 'link' ? [[to, end]] : []
  })

const mentions = /<(?=[@#]|!(?:here|channel|everyone|subteam|date|group)\b)|@(?=(?:here|channel|everyone|group)\b)/gi

/** Slack's own pattern of mentions: in code, other words may follow these signs. */
const certain = /^<(?:@[UWB][A-Z0-9]+|#[CDG][A-Z0-9]+|!(?:here|channel|everyone|subteam|date|group)\b)/i

const mentionsIn = (text: string, kept: readonly Range[]): number[] =>
  Array.from(text.matchAll(mentions), ({ index }) => index).filter(
    (at) => !kept.some(([start, end]) => start <= at && at < end) || certain.test(text.slice(at, at + mostOfMention)),
  )

/** Maximum length of a mention's text. */
const mostOfMention = 40

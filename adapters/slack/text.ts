/** Slack's markup as plain text for the agent, and the agent's Markdown so that it calls nobody. */
import { platformLimits } from '../../domain/channels/platform.ts'
import { type Layout, layoutOf } from '../../domain/markdown/spans.ts'

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** What a person wrote, without Slack's markup of links and mentions, and without our own name. */
export const plainText = (markup: string, ownUser: string | undefined): string =>
  markup
    .replaceAll(/<([^<>\n]{1,4000})>/g, (_, inner: string) => (inner === `@${ownUser}` ? '' : written(inner)))
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    .trim()

/** `https://example.com|this page` → `this page (https://example.com)`; `@U1|ada` → `@ada`; `!here` → `@here`. */
function written(inner: string): string {
  const cut = inner.indexOf('|')
  const [target, label] = cut < 0 ? [inner, ''] : [inner.slice(0, cut), inner.slice(cut + 1)]
  if (target.startsWith('@') || target.startsWith('#')) return label ? target.slice(0, 1) + label : target
  if (target.startsWith('!')) return label || `@${target.slice(1)}`
  const address = target.replace(/^mailto:/, '')
  return label && label !== address && label !== target ? `${label} (${address})` : address
}

/** Joins two characters without a gap and shows as nothing: what it stands in is no mention any more, in code neither. */
const joiner = '\u2060'

/** What looks alike, where there is no room for another character. */
const lookalikes: Readonly<Record<string, string>> = { '<': '\u2039', '@': '\uff20' }

/**
 * Markdown that says the same in a message's length, and notifies neither a person, a group nor a channel. Code and addresses stay as they
 * are, but for the marks that make a mention wherever they are.
 */
export function withoutMentions(markdown: string): string {
  const whole = markdown.toWellFormed()
  const kept = keptIn(layoutOf(whole))
  const apart = broken(whole, kept, (sign) => sign + joiner)
  return apart.length <= platformLimits.slack.textCharacters
    ? apart
    : broken(whole, kept, (sign) => lookalikes[sign] ?? '')
}

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

const broken = (text: string, kept: readonly Range[], breaking: (sign: string) => string): string =>
  text.replaceAll(mentions, (sign, at: number) =>
    kept.some(([start, end]) => start <= at && at < end) && !certain.test(text.slice(at, at + mostOfMention))
      ? sign
      : breaking(sign),
  )

/** Characters in which a mention shows. */
const mostOfMention = 40

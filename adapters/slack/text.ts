/** Slack's markup as plain text for the agent, and the agent's Markdown so that it calls nobody. */
import { platformLimits } from '../../domain/channels/platform.ts'

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

/** Markdown that says the same in a message's length, and notifies neither a person, a group nor a channel. */
export function withoutMentions(markdown: string): string {
  const whole = markdown.toWellFormed()
  const apart = broken(whole, (sign) => sign + joiner)
  return apart.length <= platformLimits.slack.textCharacters ? apart : broken(whole, (sign) => lookalikes[sign] ?? '')
}

const broken = (text: string, breaking: (sign: string) => string): string =>
  text
    .replaceAll(/<(?=[@#]|!(?:here|channel|everyone|subteam|date|group)\b)/gi, breaking)
    .replaceAll(/@(?=(?:here|channel|everyone|group)\b)/gi, breaking)

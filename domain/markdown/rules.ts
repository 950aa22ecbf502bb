/** Differences from `marked` in inline rules: tildes, Chinese, Japanese and Korean, and the end of an address. */
import type { Tokenizer } from 'marked'

type InlineRules = Tokenizer['rules']['inline']

const cjk =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\u3000-\\u303f\\uff01-\\uffee'

/**
 * Chinese, Japanese and Korean have no spaces between words, so their punctuation counts as a letter, and any of their
 * characters next to a mark counts as a gap: `**注意：**请` is bold.
 */
const classes: Readonly<Record<string, string>> = {
  cjk: `[${cjk}]`,
  // The tilde is no punctuation next to emphasis, as in GitHub's Markdown.
  punct: `(?![${cjk}~])[\\p{P}\\p{S}]`,
  letter: `(?:[^\\s\\p{P}\\p{S}]|[${cjk}~])`,
  plain: `(?![${cjk}])(?:[^\\s\\p{P}\\p{S}]|~)`,
}

const rule = (pattern: string, flags: string): RegExp =>
  new RegExp(
    pattern.replaceAll(/\b(?:cjk|punct|letter|plain)\b/g, (name) => classes[name] ?? name),
    flags,
  )

/** `marked` goes by the group's number: 1 and 2 close emphasis, 3 and 4 open it, 5 and 6 do either. */
const closing = (mark: string, most: string): string =>
  [
    `(?!${mark})punct(${most})(?=\\s|$)`,
    `(?:(?!${mark})plain(?=${most}(?!${mark})punct)|(?!${mark})letter(?=${most}(?:\\s|$)))(${most})(?!${mark})`,
    `(?:\\s(?=${most}letter)|(?!${mark})punct(?=${most}plain))(${most})(?=(?!${mark})letter)`,
    `\\s(${most})(?!${mark})(?=punct)`,
    `(?:(?!${mark})punct|cjk)(${most})(?!${mark})(?=punct|cjk)`,
    `(?!${mark})letter(${most})(?=(?!${mark})letter)`,
  ].join('|')

const stars = `^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|${closing('\\*', '\\*+')}`
const tildes = `^[^~]+(?=[^~])|${closing('~', '~~')}`

/** A bare address ends at the punctuation of a Chinese, Japanese or Korean sentence. */
const address = (url: RegExp): RegExp =>
  new RegExp(
    url.source.replace('[^\\s<]*', '[^\\s<\\u3000-\\u303f\\uff01-\\uff0f\\uff1a-\\uff20\\u201c\\u201d]*'),
    url.flags,
  )

/** One tilde means “about” or “to” in many languages, so only two strike. */
export const ownRules = (rules: InlineRules): InlineRules => ({
  ...rules,
  punctuation: rule('^((?![*_])(?:[\\s\\p{P}\\p{S}]|cjk))', 'u'),
  emStrongLDelim: rule('^(?:\\*+(?:((?!\\*)punct)|([^\\s*]))?)|^_+(?:((?!_)punct)|([^\\s_]))?', 'u'),
  emStrongRDelimAst: rule(stars, 'gu'),
  delLDelim: rule('^~~(?:((?!~)punct)|[^\\s~])', 'u'),
  delRDelim: rule(tildes, 'gu'),
  url: address(rules.url),
  // As GitHub's, but an underscore at the end belongs to the address: many end with a `__method__`.
  _backpedal: /(?:[^?!.,:;*'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*'"~)]+(?!$))+/,
})

/** Rules of inline Markdown in which this house differs from `marked`: tildes, Chinese, Japanese and Korean, and where an address ends. */
import type { Tokenizer } from 'marked'

type InlineRules = Tokenizer['rules']['inline']

/** Characters of Chinese, Japanese and Korean, their punctuation and full-width forms among them. */
const cjk =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\u3000-\\u303f\\uff01-\\uffee'

/**
 * Classes of one character each. Chinese, Japanese and Korean put no space between words, so their punctuation counts as a letter here,
 * and any of their characters next to a mark counts as a gap: `**注意：**请` is bold.
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

/**
 * Where a run of marks may close or open emphasis. `marked` reads by number of the group which it can do: 1 and 2 close, 3 and 4 open,
 * 5 and 6 do either.
 */
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

/** A bare address ends where a sentence of Chinese, Japanese or Korean goes on with punctuation. */
const address = (url: RegExp): RegExp =>
  new RegExp(
    url.source.replace('[^\\s<]*', '[^\\s<\\u3000-\\u303f\\uff01-\\uff0f\\uff1a-\\uff20\\u201c\\u201d]*'),
    url.flags,
  )

/** One tilde means “about” or “to” in many languages, so that two alone strike. */
export const ownRules = (rules: InlineRules): InlineRules => ({
  ...rules,
  punctuation: rule('^((?![*_])(?:[\\s\\p{P}\\p{S}]|cjk))', 'u'),
  emStrongLDelim: rule('^(?:\\*+(?:((?!\\*)punct)|([^\\s*]))?)|^_+(?:((?!_)punct)|([^\\s_]))?', 'u'),
  emStrongRDelimAst: rule(stars, 'gu'),
  delLDelim: rule('^~~(?:((?!~)punct)|[^\\s~])', 'u'),
  delRDelim: rule(tildes, 'gu'),
  url: address(rules.url),
  // As GitHub's, but an underscore at the end belongs to the address: many of them name a `__method__`.
  _backpedal: /(?:[^?!.,:;*'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*'"~)]+(?!$))+/,
})

/** Characters that change the text direction, and control characters except tab and newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** More marks on one letter than any script has. */
const stacked = /(\p{M}{6})\p{M}+/gu

/** Unifies line ends, and removes what hides, turns or overlaps other text. */
export const clean = (text: string): string =>
  text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '').replaceAll(stacked, '$1')

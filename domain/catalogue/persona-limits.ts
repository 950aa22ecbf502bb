/** Characters of a persona's file and of a whole persona: the agent puts no more before its model. */
export const maxFileCharacters = 12_000
export const maxPersonaCharacters = 24_000

export const maxFiles = 8
export const maxPersonas = 20
export const keptVersions = 50

/** An estimate: a token has four characters of English, or one of most other scripts. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if ((character.codePointAt(0) ?? 0) > 0x2ff) wide++
  return Math.ceil((text.length - wide) / 4) + wide
}

/** Longest persona file and longest persona, in characters: what the agent puts before its model, and no more. */
export const maxFileCharacters = 12_000
export const maxPersonaCharacters = 24_000

/** Most files of a persona, own personas of a user, and versions kept of each. */
export const maxFiles = 8
export const maxPersonas = 20
export const keptVersions = 50

/** About how many tokens a model reads a text as: four characters of English each, one of most other scripts. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if ((character.codePointAt(0) ?? 0) > 0x2ff) wide++
  return Math.ceil((text.length - wide) / 4) + wide
}

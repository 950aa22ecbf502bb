const titleCharacters = 60

/** The title that the first message gives its conversation. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const characters = [...line]
  if (characters.length <= titleCharacters) return line
  const cut = characters.slice(0, titleCharacters).join('')
  return `${cut.slice(0, cut.lastIndexOf(' ') > 0 ? cut.lastIndexOf(' ') : cut.length)}…`
}

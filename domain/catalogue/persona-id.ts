export const maxIdCharacters = 60

/** Latin letters that are no base letter with a mark. */
const spelled: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th', ð: 'd' }

/** The ASCII part of the name, or `persona` if it has none; with a number if that id is taken. */
export function personaIdFor(name: string, taken: readonly string[]): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[ßæœøłđþð]/g, (letter) => spelled[letter] ?? '')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxIdCharacters - 3)
    .replace(/^-+|-+$/g, '')
  const id = slug || 'persona'
  for (let count = 1; ; count++) {
    const tried = count === 1 ? id : `${id}-${count}`
    if (!taken.includes(tried)) return tried
  }
}

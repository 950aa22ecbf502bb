/** Texts of people and agents: short and long, code, tables, emoji, and spaces only. */
const words = [
  'the',
  'quick',
  'brown',
  'naïve',
  'façade',
  '日本語',
  'слово',
  'x',
  '👩‍👩‍👧‍👦',
  '🇵🇹',
  'e\u0301',
  '**bold**',
  '`code`',
]

export type Random = (below: number) => number

export const pick = <T>(random: Random, list: readonly T[]): T => {
  const picked = list[random(list.length)]
  if (picked === undefined) throw new Error('an empty list')
  return picked
}

const sentence = (random: Random, length: number): string =>
  Array.from({ length: 1 + random(length) }, () => pick(random, words)).join(' ')

const code = (random: Random): string =>
  [
    '```ts',
    ...Array.from({ length: 1 + random(60) }, (_, i) => `${' '.repeat(random(6))}const x${i} = ${random(1000)}`),
    '```',
  ].join('\n')

/** A reply that begins with its mark. */
export function replyText(random: Random, mark: string): string {
  const chance = random(100)
  if (chance < 75) return `${mark} ${sentence(random, 12)}`
  const blocks = chance < 95 ? 6 : 30
  const parts = Array.from({ length: 1 + random(blocks) }, () =>
    random(4) === 0 ? code(random) : sentence(random, 120),
  )
  return [mark, ...parts].join(pick(random, ['\n\n', '\n', ' ']))
}

export const askedText = (random: Random, mark: string): string => {
  if (random(300) === 0) return `${mark} ${'giant '.repeat(6_000)}`
  return `${mark} ${sentence(random, 8)}`
}

/** Texts with which an agent, a user or a stranger may try to break a page, run a script on it or load a resource. */

import { addressesElsewhere, scriptAddresses } from './addresses.ts'
import { bombs } from './bombs.ts'
import { disguises } from './disguises.ts'
import { markup } from './markup.ts'

export interface Entry {
  name: string
  text: string
}

const named = (family: string, texts: readonly string[]): Entry[] =>
  texts.map((text, at) => ({ name: `${family} ${at + 1}`, text }))

/** Each address in every place where Markdown allows one. */
const inPlaces = (address: string): string[] => [
  `[click](${address})`,
  `![picture](${address})`,
  `<${address}>`,
  `[click][it]\n\n[it]: ${address}`,
]

export const corpus: readonly Entry[] = [
  ...named('markup', markup),
  ...named('script address', scriptAddresses.flatMap(inPlaces)),
  ...named('address elsewhere', addressesElsewhere.flatMap(inPlaces)),
  ...named('disguise', disguises),
  ...Object.entries(bombs).map(([name, text]) => ({ name: `bomb: ${name}`, text })),
]

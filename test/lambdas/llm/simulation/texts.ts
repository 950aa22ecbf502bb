import { randomOf } from '../../../domain/wallet/model.ts'

/** Text with known tokens of two to eight bytes each, like those of prose, code and Chinese. */
interface Pool {
  text: string
  /** The start of each token in characters, and the end. */
  starts: number[]
}

const poolTokens = 60_000

function makePool(seed: number, token: (random: (below: number) => number) => string): Pool {
  const random = randomOf(seed)
  const starts = [0]
  const tokens: string[] = []
  let at = 0
  for (let i = 0; i < poolTokens; i++) {
    const next = token(random)
    tokens.push(next)
    at += next.length
    starts.push(at)
  }
  return { text: tokens.join(''), starts }
}

const letters = 'etaoinshrdlucmfwypvbgk'
const word = (random: (below: number) => number, length: number): string =>
  Array.from({ length }, () => letters[random(letters.length)]).join('')

const pools = [
  makePool(1, (random) => ` ${word(random, 1 + random(7))}`),
  makePool(2, (random) => (random(3) === 0 ? '()' : word(random, 2 + random(4)))),
  makePool(3, (random) => String.fromCodePoint(0x4e00 + random(5_000))),
]

/** A text of this number of tokens, with the kind and the start that these numbers give. */
export function textOf(kind: number, from: number, tokens: number): string {
  const { text, starts } = pools[kind % pools.length] as Pool // safe because there is at least one
  let made = ''
  for (let left = tokens, at = from % poolTokens; left > 0; at = 0) {
    const taken = Math.min(left, poolTokens - at)
    made += text.slice(starts[at], starts[at + taken])
    left -= taken
  }
  return made
}

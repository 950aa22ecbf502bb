import { readFileSync } from 'node:fs'

/** One way to break an invariant of money on purpose, and the suite that must notice. */
export interface Mutation {
  breaks: string
  file: string
  search: string
  replace: string
  suite: string
}

// safe because the test beside it checks every field of every entry against the tree
export const mutations = JSON.parse(readFileSync(new URL('money.json', import.meta.url), 'utf8')) as Mutation[]

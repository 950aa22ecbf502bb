import { readFileSync } from 'node:fs'

/** One way to break an invariant of money on purpose, and the suite that must notice. */
interface Mutation {
  breaks: string
  file: string
  search: string
  replace: string
  suite: string
}

const read = (name: string) =>
  // safe because money.test.ts checks every field of every entry against the tree
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Mutation[]

/** Mutations of the wallet and its ledger, of billing, and of trials. */
export const mutations = [...read('money.json'), ...read('billing.json'), ...read('trial.json')]

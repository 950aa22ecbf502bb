import { accountTexts } from '../texts/account.ts'

const sentences = new Map(Object.entries(accountTexts.operations))
const verbs = new Map(Object.entries(accountTexts.verbs))

/** Tells an operation in the past tense: `pauseInstance` is "Paused instance". */
export function operationLabel(id: string): string {
  const sentence = sentences.get(id)
  if (sentence) return sentence
  const [verb = '', ...rest] = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')
  return [verbs.get(verb) ?? pastOf(verb), ...rest].join(' ')
}

const pastOf = (verb: string): string =>
  `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${verb.endsWith('e') ? 'd' : 'ed'}`

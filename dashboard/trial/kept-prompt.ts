/** A visitor's first prompt, kept until the agent has it. */
import { keep, readKept } from '../chat/browser-storage.ts'

/** Has no account yet; signing out deletes it like all drafts. */
const [owner, name] = ['visitor', 'prompt']

export const readPrompt = (): string => readKept(owner, name) ?? ''

export const keepPrompt = (text: string): void => keep(owner, name, text)

/** Takes the prompt out of storage, so that only one of two pages gets it. */
export function takePrompt(): string {
  const text = readPrompt()
  keepPrompt('')
  return text.trim()
}

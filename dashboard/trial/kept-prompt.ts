/** The first prompt of a visitor, from when it is written until the agent has it. */
import { keep, readKept } from '../chat/browser-storage.ts'

/** It is kept for nobody yet; signing out forgets it like all else. */
const [owner, name] = ['visitor', 'prompt']

export const readPrompt = (): string => readKept(owner, name) ?? ''

export const keepPrompt = (text: string): void => keep(owner, name, text)

/** Takes it out of store: of two who come at once one gets it. */
export function takePrompt(): string {
  const text = readPrompt()
  keepPrompt('')
  return text.trim()
}

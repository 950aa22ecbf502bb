import { join } from 'node:path'
import type { AgentContext } from '../domain/agent/turn.ts'
import type { Message } from '../domain/chat/message.ts'
import type { ReceivedFile, RuntimePrompt } from './inbox.ts'
import { imageTypes } from './limits.ts'

/** A turn's context as the supervisor hands it to the runtime. */
export type RuntimeContext = Omit<AgentContext, 'prompt'> & { prompt: RuntimePrompt }

/** How large an image may be for the strictest of the providers, bytes. */
const maxImageBytes = 3.75 * 1024 * 1024

/** The files that the model sees; the others are named. */
export const imagesOf = ({ attachments = [] }: Pick<RuntimePrompt, 'attachments'>) =>
  attachments.flatMap(({ path, type, bytes }) =>
    path !== undefined && imageTypes.includes(type) && bytes <= maxImageBytes ? [{ path, type }] : [],
  )

/** A user's request with its attachments. @param volume the prefix of the paths; default: none */
export const wordsOf = ({ text, attachments = [] }: Pick<RuntimePrompt, 'text' | 'attachments'>, volume = ''): string =>
  withNotes(
    text,
    attachments.map((file) => noteOf(file, volume)),
  )

function noteOf({ name, type, bytes, path, problem }: ReceivedFile, volume: string): string {
  if (path === undefined) return `[Attached, but not on the volume: ${name}. ${problem ?? ''}]`
  return `[Attached: ${join(volume, path)} (${type}, ${bytes} bytes)]`
}

/** An earlier message, with the names of what went with it. */
export const saidIn = ({ id, role, text, attachments = [] }: Pick<Message, 'id' | 'role' | 'text' | 'attachments'>) => {
  const names = attachments.map(({ name }) => name).join(', ')
  const note = role === 'user' ? `[Attached, in inbox/${id}/: ${names}]` : `[You attached: ${names}]`
  return withNotes(text, attachments.length > 0 ? [note] : [])
}

const withNotes = (text: string, notes: string[]): string =>
  [text, notes.join('\n')].filter((part) => part !== '').join('\n\n')

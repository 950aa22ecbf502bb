import { join } from 'node:path'
import type { AgentContext } from '../../domain/agent/turn.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import { imageTypes } from './limits.ts'

/** `path` is on the volume; `problem` says why the file is missing. */
export type ReceivedFile = Pick<Attachment, 'name' | 'type' | 'bytes'> & { path?: string; problem?: string }

export type RuntimePrompt = Omit<Prompt, 'attachments'> & { attachments?: ReceivedFile[] }

export type RuntimeContext = Omit<AgentContext, 'prompt'> & { prompt: RuntimePrompt }

/** Image limit of the strictest provider, bytes. */
const maxImageBytes = 3.75 * 1024 * 1024

/** Attachments shown to the model as images; the others are only named in the text. */
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

/** An earlier message, followed by the names of its attachments. */
export const saidIn = ({ id, role, text, attachments = [] }: Pick<Message, 'id' | 'role' | 'text' | 'attachments'>) => {
  const names = attachments.map(({ name }) => name).join(', ')
  const note = role === 'user' ? `[Attached, in inbox/${id}/: ${names}]` : `[You attached: ${names}]`
  return withNotes(text, attachments.length > 0 ? [note] : [])
}

const withNotes = (text: string, notes: string[]): string =>
  [text, notes.join('\n')].filter((part) => part !== '').join('\n\n')

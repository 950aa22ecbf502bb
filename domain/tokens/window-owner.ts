import type { Platform } from '../channels/platform.ts'

/** A user's callers that share a window. A flood of one kind uses up nothing of another kind, nor of another user. */
export const callerKinds = ['sessions', 'tokens', 'apps', 'machine', 'hooks'] as const
export type CallerKind = (typeof callerKinds)[number]

/**
 * The owner of a rate window. No owner is named by an id that its user can throw away for a new one, such as a token, a session, a
 * hook or a chat: a new id would open a new window.
 */
export type WindowOwner =
  | { by: CallerKind; userId: string }
  /** A caller who is nobody yet, by network address, or by the user whose browser it is. Each operation has its own window. */
  | { by: 'stranger'; operation: string; id: string }
  /** A person on a chat platform, in all chats together; commands and buttons have a window of their own. */
  | { by: 'person' | 'person-control'; platform: Platform; id: string }
  /** A group, by its platform's id: all people in it together, or what the platform itself tells of it. */
  | { by: 'group' | 'chat-control'; platform: Platform; id: string }

/** The owner as one text, different for different owners. */
export function ownerKey(owner: WindowOwner): string {
  if ('userId' in owner) return `${owner.by}#${owner.userId}`
  return owner.by === 'stranger'
    ? `stranger#${owner.operation}#${owner.id}`
    : `${owner.by}#${owner.platform}#${owner.id}`
}

import type { Platform } from '../channels/platform.ts'

/** The callers of a user that share a window; a flood of one kind uses up nothing of another. */
export const callerKinds = ['sessions', 'tokens', 'apps', 'machine', 'hooks'] as const
export type CallerKind = (typeof callerKinds)[number]

/** No owner has an id that its user can replace, such as a token or a session: a new id would open a new window. */
export type WindowOwner =
  | { by: CallerKind; userId: string }
  /** An anonymous caller, by network address or by the user of the browser. Each operation has its own window. */
  | { by: 'stranger'; operation: string; id: string }
  /** A person in all chats of a platform; `person-control` is for commands and buttons. */
  | { by: 'person' | 'person-control'; platform: Platform; id: string }
  /** All people of a group; `chat-control` is for what the platform itself reports of it. */
  | { by: 'group' | 'chat-control'; platform: Platform; id: string }

export function ownerKey(owner: WindowOwner): string {
  if ('userId' in owner) return `${owner.by}#${owner.userId}`
  return owner.by === 'stranger'
    ? `stranger#${owner.operation}#${owner.id}`
    : `${owner.by}#${owner.platform}#${owner.id}`
}

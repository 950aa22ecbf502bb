import type { Scope } from './scopes.ts'

export type Audience = 'llm' | 'files' | 'agent'

/** Who is asking. Each kind has exactly its own fields. */
export type Actor =
  | { kind: 'session'; userId: string; sessionId: string; signedInAt: string }
  | { kind: 'pat'; userId: string; tokenId: string; scopes: Scope[]; expiresAt: string }
  | { kind: 'machine'; userId: string; instanceId: string; generation: number; audience: Audience }
  | { kind: 'anonymous'; ip: string }

export type UserActor = Extract<Actor, { kind: 'session' | 'pat' }>
export type SessionActor = Extract<Actor, { kind: 'session' }>
export type MachineActor = Extract<Actor, { kind: 'machine' }>

import { covers, type Scope } from './scopes.ts'

export type Audience = 'llm' | 'files' | 'agent'

export type Actor =
  | { kind: 'session'; userId: string; sessionId: string; signedInAt: string }
  | { kind: 'operator'; userId: string; sessionId: string; signedInAt: string; email: string }
  | {
      kind: 'pat'
      userId: string
      tokenId: string
      scopes: Scope[]
      expiresAt: string
      client?: string | undefined
    }
  | { kind: 'machine'; userId: string; instanceId: string; generation: number; audience: Audience }
  | { kind: 'anonymous'; ip: string }

export type UserActor = Extract<Actor, { kind: 'session' | 'pat' }>
export type PatActor = Extract<Actor, { kind: 'pat' }>
export type SessionActor = Extract<Actor, { kind: 'session' }>
export type OperatorActor = Extract<Actor, { kind: 'operator' }>
export type MachineActor = Extract<Actor, { kind: 'machine' }>

/** A session may do everything; a token needs the scope if there is one. */
export const isAllowed = (actor: UserActor, scope: Scope | undefined): boolean =>
  actor.kind === 'session' || scope === undefined || covers(actor.scopes, scope)

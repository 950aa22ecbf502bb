import * as z from 'zod'

/** `mcp:*` covers all scopes that begin `mcp:` and no other. */
export const scopes = [
  'mcp:*',
  'mcp:wallet.read',
  'mcp:wallet.write',
  'mcp:instance.read',
  'mcp:instance.write',
  'mcp:personas.read',
  'mcp:personas.write',
  'mcp:skills.read',
  'api:tokens.write',
  'api:chat',
  'api:instance',
  'api:channels',
  'api:hooks',
  'api:llm',
] as const

export const scope = z.enum(scopes)
export type Scope = z.infer<typeof scope>

export const isScope = (text: string): text is Scope => scope.safeParse(text).success

export const defaultScopes: Scope[] = ['mcp:*']

export const covers = (held: readonly Scope[], wanted: Scope): boolean =>
  held.includes(wanted) || (wanted.startsWith('mcp:') && held.includes('mcp:*'))

/** A token may hand on its own powers only. */
export const isSubset = (asked: readonly Scope[], held: readonly Scope[]): boolean =>
  asked.every((wanted) => covers(held, wanted))

import type { Scope } from '../scopes.ts'

export const toolScopes = {
  'wallet.balance': 'mcp:wallet.read',
  'wallet.transactions': 'mcp:wallet.read',
  'wallet.checkoutTopUp': 'mcp:wallet.write',
  'instance.status': 'mcp:instance.read',
  'instance.pause': 'mcp:instance.write',
  'instance.resume': 'mcp:instance.write',
  'instance.refreshEnv': 'mcp:instance.write',
  'instance.setModel': 'mcp:instance.write',
  'skills.list': 'mcp:skills.read',
  'skills.show': 'mcp:skills.read',
  'personas.list': 'mcp:personas.read',
  'personas.activate': 'mcp:personas.write',
  'personas.deactivate': 'mcp:personas.write',
} as const satisfies Record<string, Scope>

export const countTools = (held: readonly Scope[]): number =>
  Object.values(toolScopes).filter((wanted) => held.includes('mcp:*') || held.includes(wanted)).length

/** No tool of these scopes changes anything. */
export const readScopes = [
  'mcp:wallet.read',
  'mcp:instance.read',
  'mcp:personas.read',
  'mcp:skills.read',
] as const satisfies readonly Scope[]

import type { Scope } from './scopes.ts'

export const scopeLabels: Record<Scope, string> = {
  'mcp:*': 'Every MCP tool',
  'mcp:wallet.read': 'See the balance and transactions',
  'mcp:wallet.write': 'Open a top-up checkout',
  'mcp:instance.read': 'See the instance’s status',
  'mcp:instance.write': 'Pause, resume, refresh, change the model',
  'mcp:personas.read': 'List personas',
  'mcp:personas.write': 'Switch the persona',
  'mcp:skills.read': 'List and read skills',
  'api:tokens.write': 'Revoke any token of the account',
  'api:chat': 'Send and read chat messages',
  'api:instance': 'Logs, files, variables, restore points',
  'api:channels': 'See, link and unlink the chats you talk in',
  'api:hooks': 'Make and delete webhooks that ask the agent or are told of events',
  'api:llm': 'Call models, paid from the wallet',
}

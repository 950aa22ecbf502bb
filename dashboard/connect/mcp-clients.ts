/** How to connect each MCP client: links and lines from its vendor's documentation. */
import type { Pat } from '../../domain/tokens/pat.ts'

export const clientIds = ['claude-code', 'claude', 'chatgpt', 'cursor', 'vscode', 'codex', 'other'] as const
export type ClientId = (typeof clientIds)[number]

/** Names that are the same in every language; `other` is in the texts. */
export const clientNames = {
  'claude-code': 'Claude Code',
  claude: 'Claude',
  chatgpt: 'ChatGPT',
  cursor: 'Cursor',
  vscode: 'VS Code',
  codex: 'Codex',
} as const satisfies Record<Exclude<ClientId, 'other'>, string>

/** A link, lines to copy, or both in their order. */
export interface Way {
  href?: string
  /** Lines for a terminal, a file or a form. */
  text?: string
}

const name = 'berth'

/** JSON as base64, whatever characters are in it. */
const base64Json = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))

/** https://cursor.com/docs/mcp/install-links */
const cursorLink = (config: object): string =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(base64Json(config))}`

/** https://code.visualstudio.com/docs/copilot/guides/mcp-developer-guide#_mcp-url-handler */
const vscodeLink = (config: object): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', ...config }))}`

/** https://claude.com/docs/connectors/building/directory-vs-custom */
const claudeLink = (url: string): string =>
  `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=Berth&connectorUrl=${encodeURIComponent(url)}`

/** With the client's own sign-in, without a token. */
export function signInWay(client: ClientId, origin: string): Way {
  const url = `${origin}/api/mcp`
  switch (client) {
    case 'claude-code':
      return { text: `claude mcp add --transport http ${name} ${url} && claude mcp login ${name}` }
    case 'claude':
      return { href: claudeLink(url), text: url }
    case 'chatgpt':
      return { href: 'https://chatgpt.com/plugins', text: url }
    case 'cursor':
      return { href: cursorLink({ url }) }
    case 'vscode':
      return { href: vscodeLink({ url }) }
    case 'codex':
      // Adding the server signs in.
      return { text: `codex mcp add ${name} --url ${url}` }
    case 'other':
      return { text: url }
  }
}

/** With a token made for the client; null where the client takes none. */
export function tokenWay(client: ClientId, origin: string, token: string): Way | null {
  const url = `${origin}/api/mcp-token`
  // Several clients drop names with dots, and only some of them say who they are.
  const plain = `${url}?names=underscore`
  const headers = { Authorization: `Bearer ${token}` }
  switch (client) {
    case 'claude-code':
      return { text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${token}"` }
    case 'claude':
    case 'chatgpt':
      return null
    case 'cursor':
      return { href: cursorLink({ url: plain, headers }) }
    case 'vscode':
      return { href: vscodeLink({ url: plain, headers }) }
    case 'codex':
      return {
        text: `export BERTH_TOKEN=${token}\ncodex mcp add ${name} --url "${plain}" --bearer-token-env-var BERTH_TOKEN`,
      }
    case 'other':
      return { text: JSON.stringify({ mcpServers: { [name]: { url: plain, headers } } }, null, 2) }
  }
}

/** Whether the client calls from its vendor's machines, which reach only public addresses. */
export const callsFromAfar = (client: ClientId): boolean => client === 'claude' || client === 'chatgpt'

export const isPublic = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && hostname !== 'localhost' && !/^[\d.]+$|^\[/.test(hostname)
}

const shapes: readonly (readonly [ClientId, RegExp])[] = [
  ['claude-code', /claude[ -]code/i],
  ['claude', /^claude\b|\bclaude\.(ai|com)$/i],
  ['chatgpt', /chatgpt|^openai-mcp/i],
  ['cursor', /^cursor\b/i],
  ['vscode', /^(vs ?code|visual studio code)/i],
  ['codex', /^codex/i],
]

/** The client of a token: by its own name, else by the name of the app or token. None is verified. */
export function clientOf({ lastClient, name: named, app }: Pick<Pat, 'lastClient' | 'name' | 'app'>): ClientId {
  for (const name of [lastClient, named, app?.host]) {
    const [id] = shapes.find(([, shape]) => shape.test(name ?? '')) ?? []
    if (id) return id
    // A client's own name outranks the name of its token.
    if (name && name === lastClient) return 'other'
  }
  return 'other'
}

export const isConnection = ({ status, scopes }: Pick<Pat, 'status' | 'scopes'>): boolean =>
  status === 'active' && scopes.some((scope) => scope.startsWith('mcp:'))

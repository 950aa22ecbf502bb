/** `wallet.balance`, as the protocol allows it, or `wallet_balance`, as many clients want it. */
export type Spelling = 'dots' | 'underscore'

export const underscored = (name: string): string => name.replaceAll('.', '_')

export const spelled = (name: string, spelling: Spelling): string =>
  spelling === 'underscore' ? underscored(name) : name

/** Rules that clients and model providers have for tool names; a dot breaks each, and one bad name may hide all tools. */
export const nameRules = {
  /** claude.ai and Claude Desktop refuse the whole list: github.com/pydantic/logfire-mcp/issues/58. */
  claude: /^[a-zA-Z0-9_-]{1,64}$/,
  /** Function names of the OpenAI API, so Codex and ChatGPT too: github.com/openai/codex/issues/8174. */
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  /** Copilot CLI sends them on as they are and fails: github.com/github/copilot-cli/issues/2581. */
  copilot: /^[a-zA-Z0-9_-]{1,128}$/,
  /** VS Code warns at anything else: github.com/microsoft/vscode/issues/308463. */
  vscode: /^[a-z0-9_-]+$/i,
  /** Cursor drops what is not a word: github.com/webstudio-is/webstudio/issues/5960. */
  cursor: /^[a-zA-Z0-9_]{1,64}$/,
} as const

/** How clients known to fail on dots call themselves, in User-Agent or in the name they give as clientInfo. */
const wantUnderscores = [
  /^claude(?!-code)/i, // claude-user, claude-ai, Claude Desktop; Claude Code rewrites names itself
  /^openai|^chatgpt|^codex/i,
  /copilot/i,
  /^cursor/i,
  /^visual studio code|^vscode/i,
]

/** The spelling for a client: what it asked for, else what is known of it by any of the names it gives. */
export function spellingFor(asked: Spelling | undefined, clientNames: readonly (string | undefined)[]): Spelling {
  if (asked) return asked
  const known = clientNames.some((name) => name && wantUnderscores.some((pattern) => pattern.test(name)))
  return known ? 'underscore' : 'dots'
}

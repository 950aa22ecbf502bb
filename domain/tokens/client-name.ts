/** The beginning of a program's `User-Agent` or MCP `clientInfo`, and its name. */
const known: readonly (readonly [begins: RegExp, name: string])[] = [
  [/^claude-(code|cli)/i, 'Claude Code'],
  [/^claude[- ](user|ai|desktop)|^anthropic\/claudeai/i, 'Claude'],
  [/^codex/i, 'Codex'],
  [/^openai-mcp|^chatgpt/i, 'ChatGPT'],
  [/^cursor/i, 'Cursor'],
  [/^visual studio code|^vscode/i, 'VS Code'],
  [/^opencode/i, 'opencode'],
  [/^openai\//i, 'OpenAI SDK'],
  [/^anthropic\//i, 'Anthropic SDK'],
]

export const maxClientName = 60

const looked = 500

/** Characters that are invisible, break a line or change the text direction, and accents stacked on one letter. */
const unshown = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const piled = /(\p{M}{2})\p{M}+/gu

/** A program's own name as one short line of plain text; null if nothing visible is left. */
export function clientName(said: string): string | null {
  const [, name] = known.find(([begins]) => begins.test(said)) ?? []
  if (name) return name
  const plain = said.slice(0, looked).normalize('NFC').replace(/\s/g, ' ').replace(unshown, '').replace(piled, '$1')
  const short = [...plain.replace(/ +/g, ' ').trim()].slice(0, maxClientName).join('').trim()
  return short === '' ? null : short
}

export const knownClient = (userAgent: string): string | null =>
  known.find(([begins]) => begins.test(userAgent))?.[1] ?? null

/** The first product of a `User-Agent`, such as `curl` of `curl/8.5`; null for a browser or without a product. */
export function clientOfUserAgent(userAgent: string): string | null {
  const product = /^[a-z][\w.-]*(?=\/|$)/i.exec(userAgent.slice(0, looked))?.[0]
  return knownClient(userAgent) ?? (product && product !== 'Mozilla' ? clientName(product) : null)
}

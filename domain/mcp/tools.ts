import type { Code, DomainError } from '../errors.ts'

/** `wallet.balance`, as the protocol allows it, or `wallet_balance`, which many clients require. */
export type NameStyle = 'dots' | 'underscore'

export const withUnderscores = (name: string): string => name.replaceAll('.', '_')

export const formatName = (name: string, nameStyle: NameStyle): string =>
  nameStyle === 'underscore' ? withUnderscores(name) : name

/** Names of clients known to fail on dots: in User-Agent, in clientInfo, or our own names for them. */
const wantUnderscores = [
  /^claude(?![- ]code)/i, // claude-user, claude-ai, Claude Desktop; Claude Code rewrites names itself
  /^openai|^chatgpt|^codex/i,
  /copilot/i,
  /^cursor/i,
  /^visual studio code|^vs ?code/i,
]

/** The style that the client asked for, else the known one for any of its names. */
export function nameStyleFor(asked: NameStyle | undefined, clientNames: readonly (string | undefined)[]): NameStyle {
  if (asked) return asked
  const known = clientNames.some((name) => name && wantUnderscores.some((pattern) => pattern.test(name)))
  return known ? 'underscore' : 'dots'
}

/** Advice to a model after an error; tool names have dots. */
export const errorHints = {
  unauthorized: 'Ask the user for a new token; nothing can be done with this one.',
  forbidden: 'Ask the user for a token that has the scope.',
  'not-found': 'List what there is (personas.list, skills.list, instance.status) and use an id from there.',
  validation: 'Correct the named fields and call again.',
  'invalid-json': 'Send the arguments as a JSON object.',
  'rate-limited': 'Wait as many seconds as retryAfterSeconds says, then call again.',
  'wallet-empty': 'Call wallet.checkoutTopUp and show its url to the user, who pays there; then call again.',
  'spending-limit':
    'Tell the user, who raises the limit on the wallet page of the dashboard, or waits until 00:00 UTC.',
  'wallet-suspended': 'Tell the user to reply to any e-mail from us; nothing can be spent until then.',
  'repeated-calls': 'Stop asking the same; wait as many seconds as retryAfterSeconds says.',
  'provider-error': 'Call again after 4, 8, 16, then 32 seconds.',
  'too-large': 'Send less in one call.',
  'missing-id': 'Add the missing id and call again.',
  conflict: 'Call instance.status to see what is under way, and go on only when it is done.',
  internal: 'Call again once; if it fails again, tell the user.',
} as const satisfies Record<Code, string>

export const hintFor = ({ code, hasNoId }: Pick<DomainError, 'code' | 'hasNoId'>): string =>
  hasNoId ? 'Tell the user what the message says; call again only after the user did it.' : errorHints[code]

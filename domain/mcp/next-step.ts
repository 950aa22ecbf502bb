import type { Code } from '../errors.ts'

/** What a model does after a tool failed with this code; tool names in their dotted spelling. */
export const nextStep = {
  unauthorized: 'Ask the user for a new token; nothing can be done with this one.',
  forbidden: 'Ask the user for a token that has the scope.',
  'not-found': 'List what there is (personas.list, skills.list, instance.status) and use an id from there.',
  validation: 'Correct the named fields and call again.',
  'invalid-json': 'Send the arguments as a JSON object.',
  'rate-limited': 'Wait as many seconds as retryAfterSeconds says, then call again.',
  'wallet-empty': 'Call wallet.checkoutTopUp and show its url to the user, who pays there; then call again.',
  'provider-error': 'Call again after 4, 8, 16, then 32 seconds.',
  'missing-id': 'Add the missing id and call again.',
  conflict: 'Call instance.status to see what is under way, and go on only when it is done.',
  internal: 'Call again once; if it fails again, tell the user.',
} as const satisfies Record<Code, string>

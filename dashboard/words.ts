/** What the product's terms are called on screen. Records, so that a new state or scope has to be given its words. */
import type { Instance, ShownState as State } from '../domain/instance/instance.ts'
import type { table } from '../domain/instance/table.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Transaction } from '../domain/wallet/wallet.ts'

export type Tone = 'good' | 'busy' | 'rest' | 'bad'

export const stateWords: Record<State, { label: string; tone: Tone }> = {
  provisioning: { label: 'Setting up', tone: 'busy' },
  running: { label: 'Running', tone: 'good' },
  pausing: { label: 'Pausing', tone: 'busy' },
  paused: { label: 'Paused', tone: 'rest' },
  resuming: { label: 'Waking up', tone: 'busy' },
  refreshing: { label: 'Refreshing', tone: 'busy' },
  failed: { label: 'Failed', tone: 'bad' },
  deleting: { label: 'Deleting', tone: 'busy' },
  deleted: { label: 'Deleted', tone: 'rest' },
}

type Verb = 'pause' | 'resume' | 'refresh'
type Offered<S extends State, V extends Verb> = (typeof table)[S][V] extends 'conflict' | 'same' ? false : true

/** Which buttons do something in which state; the compiler holds it against the life cycle's own table. */
export const offers: { [S in State]: { [V in Verb]: Offered<S, V> } } = {
  provisioning: { pause: false, resume: false, refresh: false },
  running: { pause: true, resume: false, refresh: true },
  pausing: { pause: false, resume: false, refresh: false },
  paused: { pause: false, resume: true, refresh: false },
  resuming: { pause: false, resume: false, refresh: false },
  refreshing: { pause: false, resume: false, refresh: false },
  failed: { pause: false, resume: true, refresh: true },
  deleting: { pause: false, resume: false, refresh: false },
  deleted: { pause: false, resume: false, refresh: false },
}

/** True while a message can reach the agent, at once or by waking it. */
export const reachable = (one: Instance): boolean =>
  one.state !== 'deleting' && one.state !== 'deleted' && !(one.state === 'paused' && one.reason === 'billing')

export const scopeWords: Record<Scope, string> = {
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
  'api:channels': 'Manage chat channels',
  'api:hooks': 'Manage outbound webhooks',
  'api:instance': 'Logs, files, variables, restore points',
}

export const transactionWords: Record<Transaction['type'], string> = {
  topup: 'Top-up',
  subscription_credit: 'Plan credit',
  usage: 'Model call',
  refund: 'Refund',
  dispute: 'Dispute',
  adjustment: 'Adjustment',
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const yearDayTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

export const showDay = (at: string): string => day.format(new Date(at))
/** Without the year while it is this one. */
export const showDayTime = (at: string): string => {
  const date = new Date(at)
  return (date.getFullYear() === new Date().getFullYear() ? dayTime : yearDayTime).format(date)
}
export const showClock = (at: string): string => clock.format(new Date(at))
export const showCount = (count: number): string => count.toLocaleString()

/** Whole dollars without decimals: `$12`, `$12.50`. */
export const showCents = (cents: number): string => `$${cents % 100 === 0 ? cents / 100 : (cents / 100).toFixed(2)}`

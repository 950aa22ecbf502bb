/** What the product's terms are called on screen. Records, so that a new state or scope has to be given its label. */
import type { Platform } from '../domain/channels/platform.ts'
import type { Trigger } from '../domain/chat/message.ts'
import type { Instance, ShownState as State } from '../domain/instance/instance.ts'
import type { transitions } from '../domain/instance/transitions.ts'
import type { Transaction } from '../domain/wallet/ledger.ts'

type Tone = 'good' | 'busy' | 'rest' | 'bad'

const stateLabels: Record<State, { label: string; tone: Tone }> = {
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

/** A state that this version of the page does not know is shown by its name. */
export const stateLabel = (state: State): { label: string; tone: Tone } =>
  stateLabels[state] ?? { label: state, tone: 'rest' }

type Action = 'pause' | 'resume' | 'refresh'
type Offered<S extends State, A extends Action> = (typeof transitions)[S][A] extends 'conflict' | 'same' ? false : true

/** Which buttons do something in which state; the compiler holds it against the life cycle's own table. */
export const offeredActions: { [S in State]: { [A in Action]: Offered<S, A> } } = {
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
export const reachable = ({ state, reason }: Instance): boolean =>
  state !== 'deleting' && state !== 'deleted' && !(state === 'paused' && reason === 'billing')

export const triggerLabels: Record<Trigger, string> = {
  chat: 'Messages',
  schedule: 'Schedules',
  heartbeat: 'Heartbeats',
  tool: 'Tools',
  api: 'Your own clients',
}

/** A trigger that this version of the page does not know is shown by its name. */
export const triggerLabel = (trigger: string): string =>
  Object.entries(triggerLabels).find(([name]) => name === trigger)?.[1] ?? trigger

export const transactionLabels: Record<Transaction['type'], string> = {
  topup: 'Top-up',
  subscription_credit: 'Plan credit',
  usage: 'Model call',
  refund: 'Refund',
  dispute: 'Dispute',
  adjustment: 'Adjustment',
}

const platformLabels: Record<Platform, string> = { telegram: 'Telegram', slack: 'Slack', discord: 'Discord' }

/** A platform that this version of the page does not know is shown by its name. */
export const platformLabel = (platform: Platform): string => platformLabels[platform] ?? platform

/** Labels of the product's terms. Records make the compiler require a label for each new state or scope. */
import type { Platform } from '../domain/channels/platform.ts'
import type { Instance, ShownState as State } from '../domain/instance/instance.ts'
import type { transitions } from '../domain/instance/transitions.ts'
import { texts } from './texts/index.ts'

type Tone = 'good' | 'busy' | 'rest' | 'bad'

const tones: Record<State, Tone> = {
  provisioning: 'busy',
  running: 'good',
  pausing: 'busy',
  paused: 'rest',
  resuming: 'busy',
  refreshing: 'busy',
  failed: 'bad',
  deleting: 'busy',
  deleted: 'rest',
}

/** A state of a later version is shown by its name. */
export const stateLabel = (state: State): { label: string; tone: Tone } => ({
  label: texts.layout.states[state] ?? state,
  tone: tones[state] ?? 'rest',
})

type Action = 'pause' | 'resume' | 'refresh'
type Offered<S extends State, A extends Action> = (typeof transitions)[S][A] extends 'conflict' | 'same' | 'later'
  ? false
  : true

/** The buttons that have an effect in each state; the compiler checks it against the life cycle's table. */
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

const platformLabels: Record<Platform, string> = { telegram: 'Telegram', slack: 'Slack', discord: 'Discord' }

/** A platform of a later version is shown by its name. */
export const platformLabel = (platform: Platform): string => platformLabels[platform] ?? platform

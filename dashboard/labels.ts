/** Labels of the product's terms. Records make the compiler require a label for each new state or scope. */
import type { Platform } from '../domain/channels/platform.ts'
import type { Instance, ShownState as State } from '../domain/instance/instance.ts'
import { transitions } from '../domain/instance/transitions.ts'
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

/** The buttons that have an effect in a state, by the life cycle's table; none in a state of a later version. */
export function offeredActions(state: State): Record<Action, boolean> {
  const isOffered = (action: Action) => !['same', 'later', 'conflict'].includes(transitions[state]?.[action] ?? 'same')
  return { pause: isOffered('pause'), resume: isOffered('resume'), refresh: isOffered('refresh') }
}

/** True while a message can reach the agent, at once or by waking it. */
export const reachable = ({ state, reason }: Instance): boolean =>
  state !== 'deleting' && state !== 'deleted' && !(state === 'paused' && reason === 'billing')

const platformLabels: Record<Platform, string> = { telegram: 'Telegram', slack: 'Slack', discord: 'Discord' }

/** A platform of a later version is shown by its name. */
export const platformLabel = (platform: Platform): string => platformLabels[platform] ?? platform

/** Labels of the product's terms. Records make the compiler require a label for each new state or scope. */
import type { Platform } from '../domain/channels/platform.ts'
import type { Instance, ShownState as State } from '../domain/instance/instance.ts'
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

/** True while a message can reach the agent, at once or by waking it. */
export const reachable = ({ state, reason }: Instance): boolean =>
  state !== 'deleting' && state !== 'deleted' && !(state === 'paused' && reason === 'billing')

const platformLabels: Record<Platform, string> = { telegram: 'Telegram', slack: 'Slack', discord: 'Discord' }

/** A platform of a later version is shown by its name. */
export const platformLabel = (platform: Platform): string => platformLabels[platform] ?? platform

import type { ShownState as State } from '../../domain/instance/instance.ts'
import { transitions } from '../../domain/instance/transitions.ts'

type Action = 'pause' | 'resume' | 'refresh'

/** The buttons that have an effect in a state, by the life cycle's table; none in a state of a later version. */
export function offeredActions(state: State): Record<Action, boolean> {
  const isOffered = (action: Action) => !['same', 'later', 'conflict'].includes(transitions[state]?.[action] ?? 'same')
  return { pause: isOffered('pause'), resume: isOffered('resume'), refresh: isOffered('refresh') }
}

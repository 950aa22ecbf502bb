import type { ShownState as State } from '../../domain/instance/instance.ts'
import { stateLabels } from '../labels.ts'

export function StatePill({ state }: { state: State | null }) {
  const { label, tone } = state ? stateLabels[state] : { label: 'No instance', tone: 'rest' }
  return (
    <span className={`pill ${tone}`}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

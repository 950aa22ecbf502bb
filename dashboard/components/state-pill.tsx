import type { ShownState as State } from '../../domain/instance/instance.ts'
import { stateLabel } from '../labels.ts'

export function StatePill({ state }: { state: State | null }) {
  const { label, tone } = state ? stateLabel(state) : { label: 'No instance', tone: 'rest' }
  return (
    <span className={`pill ${tone}`}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

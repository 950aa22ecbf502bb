import type { ShownState as State } from '../../domain/instance/instance.ts'
import { stateLabel } from '../labels.ts'
import { texts } from '../texts/index.ts'

export function StatePill({ state }: { state: State | null }) {
  const { label, tone } = state ? stateLabel(state) : { label: texts.layout.noInstance, tone: 'rest' }
  return (
    <span className={`pill ${tone}`}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

import type { Instance } from '../../domain/instance/instance.ts'
import { useNow } from '../components/use-now.ts'
import { showDuration } from '../format.ts'
import { stateLabel } from '../labels.ts'
import { instanceTexts } from '../texts/instance.ts'

const passing: readonly string[] = ['provisioning', 'pausing', 'resuming', 'refreshing', 'deleting']

export function TransitionProgress({ instance }: { instance: Instance }) {
  const nowMs = useNow()
  const { state, since, usualSeconds } = instance
  if (!passing.includes(state) || since === null) return null
  const elapsed = Math.max((nowMs - Date.parse(since)) / 1_000, 0)
  const words = instanceTexts.progress
  const [shown, usual] = [showDuration(elapsed), showDuration(usualSeconds ?? 0)]
  return (
    <div className="transition">
      <progress
        aria-label={words.label(stateLabel(state).label)}
        // Full only when it is over.
        {...(usualSeconds !== null && { max: 1, value: Math.min(elapsed / Math.max(usualSeconds, 1), 0.95) })}
      />
      <p className="hint">
        {usualSeconds === null
          ? words.first(shown)
          : elapsed > 1.5 * usualSeconds + 5
            ? words.longer(shown, usual)
            : words.usual(shown, usual)}
      </p>
    </div>
  )
}

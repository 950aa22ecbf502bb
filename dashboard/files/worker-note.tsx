import { useAccount } from '../account-state.tsx'
import { filesTexts } from '../texts/files.ts'

/** Says that a paused agent's volume worker has to start first. */
export function WorkerNote({ busy }: { busy: boolean }) {
  const asleep = useAccount().status?.instance?.state === 'paused'
  return (
    busy &&
    asleep && (
      <p className="muted" role="status">
        {filesTexts.workerStarts}
      </p>
    )
  )
}

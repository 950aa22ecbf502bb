import { useState } from 'react'
import { berth } from '../api/client.ts'
import { Money } from '../components/money.tsx'
import { useAction } from '../components/use-action.ts'
import { ActivityList } from './activity-list.tsx'

type Cost = Awaited<ReturnType<typeof berth.getMessageCost>>
type Done = Awaited<ReturnType<typeof berth.listActivities>>

/** What the answer to a message took, when somebody wants to know. */
export function ReplyDetails({ messageId }: { messageId: string }) {
  const [details, setDetails] = useState<{ cost: Cost; done: Done } | null>(null)
  const read = useAction(async () => {
    const [cost, done] = await Promise.all([
      berth.getMessageCost({ id: messageId }),
      berth.listActivities({ id: messageId }),
    ])
    setDetails({ cost, done })
  })
  if (read.problem) return <span role="alert">{read.problem}</span>
  if (!details)
    return (
      <button type="button" className="link-button" onClick={() => read.run()} aria-disabled={read.busy}>
        {read.busy ? 'Adding up…' : 'What it took'}
      </button>
    )
  return (
    <div className="reply-details" role="status">
      <CostLine {...details.cost} />
      <ActivityList activities={details.done.activities} />
    </div>
  )
}

function CostLine({ cost, isWhole }: Cost) {
  return (
    <p>
      {!isWhole && 'At least '}
      <Money micros={cost.amountMicros} />
      {cost.calls > 0 && ` for ${countOf(cost.calls)} of ${cost.models.map(({ model }) => model).join(', ')}`}
      {cost.children.map(({ child, calls, amountMicros }) => (
        <span key={child}>
          {'; '}
          <Money micros={amountMicros} /> of it by {child}, {countOf(calls)}
        </span>
      ))}
    </p>
  )
}

const countOf = (calls: number): string => (calls === 1 ? '1 model call' : `${calls} model calls`)

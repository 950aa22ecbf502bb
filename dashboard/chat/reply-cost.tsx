import { useState } from 'react'
import { berth } from '../api/client.ts'
import { Money } from '../components/money.tsx'
import { useAction } from '../components/use-action.ts'

type Answer = Awaited<ReturnType<typeof berth.getMessageCost>>

/** What the answer to a message cost, when somebody wants to know. */
export function ReplyCost({ messageId }: { messageId: string }) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const read = useAction(async () => setAnswer(await berth.getMessageCost({ id: messageId })))
  if (read.problem) return <span role="alert">{read.problem}</span>
  if (!answer)
    return (
      <button type="button" className="link-button" onClick={() => read.run()} aria-disabled={read.busy}>
        {read.busy ? 'Adding up…' : 'What it cost'}
      </button>
    )
  const { cost, isWhole } = answer
  return (
    <span role="status">
      {!isWhole && 'At least '}
      <Money micros={cost.amountMicros} />
      {cost.calls > 0 && ` for ${countOf(cost.calls)} of ${cost.models.map(({ model }) => model).join(', ')}`}
      {cost.children.map(({ child, calls, amountMicros }) => (
        <span key={child}>
          {'; '}
          <Money micros={amountMicros} /> of it by {child}, {countOf(calls)}
        </span>
      ))}
    </span>
  )
}

const countOf = (calls: number): string => (calls === 1 ? '1 model call' : `${calls} model calls`)

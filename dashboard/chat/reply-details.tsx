import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Activity } from '../../domain/agent/activity.ts'
import { useServerEvents } from '../account-state.tsx'
import { Money } from '../components/money.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showClock } from '../format.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { ActivityList } from './activity-list.tsx'

const Receipt = lazy(async () => ({ default: (await import('../wallet/receipt.tsx')).Receipt }))

type Cost = Awaited<ReturnType<typeof berth.getMessageCost>>

interface Details {
  cost: Cost
  activities: Activity[]
}

/** Calls that end together cause one read, ms. */
const settleMs = 500

/** Reads the steps, model calls and receipts of an answer while they are shown: a stopped call is charged later. */
export function ReplyDetails({ messageId, done }: { messageId: string; done: Activity[] }) {
  const [details, setDetails] = useState<Details | null>(null)
  const [open, setOpen] = useState(false)
  const read = useAction(async () => {
    const [cost, { activities }] = await Promise.all([
      berth.getMessageCost({ id: messageId }),
      berth.listActivities({ id: messageId }),
    ])
    setDetails({ cost, activities })
  })
  const toggle = () => {
    setOpen(!open)
    if (!open) void read.run()
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useServerEvents('wallet.charged', () => {
    clearTimeout(timer.current)
    if (open) timer.current = setTimeout(() => void read.run(), settleMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <>
      <button type="button" className="link-button" data-reads aria-expanded={open} onClick={toggle}>
        {read.busy && !details ? texts.chat.addingUp : labelOf(done)}
      </button>
      {open && read.problem && <span role="alert">{read.problem}</span>}
      {open && details && (
        <div className="reply-details" role="status">
          <CostLine {...details.cost} />
          <ActivityList activities={details.activities} />
          <Link to={`/files?undo=${messageId}`}>{texts.chat.undoFiles}</Link>
          {details.cost.calls.map((line) => (
            <details key={line.id}>
              <summary>
                {line.receipt?.model} {showClock(line.at)} <Money micros={-line.amountMicros} />
              </summary>
              <Suspense fallback={null}>
                <Receipt line={line} />
              </Suspense>
            </details>
          ))}
        </div>
      )}
    </>
  )
}

const labelOf = (done: Activity[]): string =>
  done.length > 0 ? `${texts.chat.whatItTook} (${texts.chat.steps(done.length)})` : texts.chat.whatItTook

const CostLine = ({ cost, isWhole }: Cost) => (
  <p>
    {!isWhole && `${texts.chat.atLeast} `}
    <Money micros={cost.amountMicros} />
    {cost.calls > 0 && ` ${texts.chat.forCalls(cost.calls, cost.models.map(({ model }) => model).join(', '))}`}
    {cost.children.map(({ child, calls, amountMicros }) => (
      <span key={child}>
        {'; '}
        <Money micros={amountMicros} /> {texts.chat.ofItBy(child, calls)}
      </span>
    ))}
  </p>
)

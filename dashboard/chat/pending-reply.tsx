import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { GrowingMarkdown } from '../components/markdown.tsx'
import { Money } from '../components/money.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useNow } from '../components/use-now.ts'
import { berth } from '../data/client.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { ActivityList } from './activity-list.tsx'
import type { Conversation } from './conversation.ts'
import type { Ended } from './conversation-state.ts'

const slowMs = 90_000

interface Props {
  /** Time of the waiting message, ISO 8601. */
  since: string
  conversation: Conversation
  instance: Instance | null
  /** Why the wallet cannot pay for an answer; null when it can. */
  unpaid: 'empty' | 'suspended' | null
}

/** The growing reply. Screen readers announce only the finished reply. */
export function PendingReply({ since, conversation, instance, unpaid }: Props) {
  const { activities, unanswered, ended, promptId } = conversation
  const stop = useAction(conversation.stop)
  const { growing } = useAccount()
  const progress = useSyncExternalStore(growing.subscribe, () => growing.of(promptId))
  const slow = useNow(10_000) - Date.parse(since) > slowMs
  const done = activities[promptId ?? ''] ?? []
  if (ended)
    return (
      <>
        <ActivityList activities={done} />
        <EndedNote ended={ended} again={unanswered && (() => conversation.askAgain(unanswered.id))} />
      </>
    )
  return (
    <div className="message pending-reply">
      <ActivityList activities={done} />
      {progress && (
        <div className="message-text" aria-hidden="true">
          <GrowingMarkdown text={progress} />
        </div>
      )}
      <p className="pending-note" role="status">
        <span className="typing-dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {unpaid === 'suspended' ? (
          texts.chat.keptSuspended
        ) : unpaid ? (
          <>
            {texts.chat.keptUnpaid} <Link to="/wallet">{texts.chat.topUp}</Link>
          </>
        ) : (
          note(instance, slow, progress !== null)
        )}
        {unanswered && <SoFar key={unanswered.id} messageId={unanswered.id} />}
        <button type="button" className="link-button" onClick={() => stop.run()} disabled={stop.busy || !unanswered}>
          {stop.busy ? texts.chat.stopping : texts.chat.stop}
        </button>
      </p>
      {stop.problem && <Notice tone="bad">{stop.problem}</Notice>}
    </div>
  )
}

function EndedNote({ ended, again }: { ended: Ended; again: (() => void) | undefined }) {
  const text = ended.how === 'stopped' ? texts.chat.stopped : texts.chat.failed(ended.note ?? texts.chat.tryAnotherWay)
  const action = again && { label: texts.chat.askAgain, run: again }
  return (
    <Notice tone={ended.how === 'stopped' ? 'info' : 'bad'} {...(action && { action })}>
      {text}
    </Notice>
  )
}

/** Calls that end together cause one read, ms. */
const settleMs = 500

/** The cost of an answer so far, updated with each charge. */
function SoFar({ messageId }: { messageId: string }) {
  const [micros, setMicros] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useServerEvents('wallet.charged', () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      // Failed reads are repeated at the next charge, and with the reply.
      berth.getMessageCost({ id: messageId }).then(
        ({ cost }) => setMicros(cost.amountMicros),
        () => {},
      )
    }, settleMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    micros > 0 && (
      <span>
        <Money micros={micros} /> {texts.chat.soFar}
      </span>
    )
  )
}

function note(instance: Instance | null, slow: boolean, writing: boolean): string {
  if (instance?.state === 'failed') return texts.chat.waiting.failed
  if (instance?.state === 'provisioning') return texts.chat.waiting.provisioning
  if (instance && instance.state !== 'running') return texts.chat.waiting.waking
  if (slow) return texts.chat.waiting.slow
  return writing ? texts.chat.waiting.writing : texts.chat.waiting.working
}

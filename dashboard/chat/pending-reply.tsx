import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { ActivityList } from './activity-list.tsx'
import type { Conversation } from './conversation.ts'

const slowMs = 90_000

interface Props {
  /** When the message was sent that waits, ISO 8601. */
  since: string
  conversation: Pick<Conversation, 'activities' | 'ended' | 'promptId' | 'stop'>
  instance: Instance | null
  /** The wallet cannot pay for an answer. */
  unpaid: boolean
}

/** What stands where the reply will be. The text so far is not read out piece by piece; the finished reply is. */
export function PendingReply({ since, conversation, instance, unpaid }: Props) {
  const { activities, ended, promptId } = conversation
  const stop = useAction(conversation.stop)
  const { growing } = useAccount()
  const progress = useSyncExternalStore(growing.subscribe, () => growing.of(promptId))
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const slow = now - Date.parse(since) > slowMs
  if (ended?.how === 'failed') return <Notice tone="bad">Your agent could not answer that. {ended.why}</Notice>
  if (ended) return <Notice tone="info">{ended.why}</Notice>
  return (
    <div className="message pending-reply">
      <ActivityList activities={activities} />
      {progress && (
        <div className="message-text" aria-hidden="true">
          <Markdown text={progress} />
        </div>
      )}
      <p className="pending-note" role="status">
        <span className="typing-dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {unpaid
          ? 'Your message is kept. Your agent reads it once there is money.'
          : note(instance, slow, progress !== null)}
        <button type="button" className="link-button" onClick={() => stop.run()} disabled={stop.busy}>
          {stop.busy ? 'Stopping…' : 'Stop'}
        </button>
      </p>
      {stop.problem && <Notice tone="bad">{stop.problem}</Notice>}
    </div>
  )
}

function note(instance: Instance | null, slow: boolean, writing: boolean): string {
  if (instance?.state === 'failed') return 'The machine has failed. Your message waits until it runs again.'
  if (instance?.state === 'provisioning')
    return 'Your agent’s machine is being set up. It reads your message first thing.'
  if (instance && instance.state !== 'running')
    return 'Waking up your agent. It reads your message as soon as it is up.'
  if (slow) return 'Still working. You can leave this page; the reply will be here.'
  return writing ? 'Writing…' : 'Your agent is working…'
}

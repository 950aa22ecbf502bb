import { useEffect, useEffectEvent } from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showBalance, showCount } from '../format.ts'
import { reachable } from '../labels.ts'
import { Link } from '../router.tsx'
import { trialTexts as words } from '../texts/trial.ts'
import { readPrompt, takePrompt } from './kept-prompt.ts'

interface Props {
  status: InstanceStatus
  send: (text: string) => void
  /** Puts the prompt into the composer. */
  take: (text: string) => void
}

/** Starts a new account's trial: at once after a first prompt before the sign-in, else on request. */
export function TrialStart({ status, send, take }: Props) {
  const { reload } = useAccount()
  const { instance, subscription, trial } = status
  const fresh = subscription.status === 'none' && trial === null
  const start = useAction(async () => {
    try {
      await berth.startTrial()
      reload()
    } catch (refusal) {
      take(takePrompt())
      throw refusal
    }
    const prompt = takePrompt()
    if (prompt !== '') send(prompt)
  })
  const begin = useEffectEvent(() => {
    if (readPrompt() === '') return
    if (fresh) start.run()
    // A reload came between the start and the prompt.
    else if (trial && instance && reachable(instance)) send(takePrompt())
    else take(takePrompt())
  })
  useEffect(() => begin(), [])
  if (start.busy) return <p role="status">{words.starting}</p>
  if (start.problem) {
    return (
      <Notice tone="info">
        {start.problem} {words.notNow} <Link to="/billing">{words.seePlans}</Link>
      </Notice>
    )
  }
  return fresh ? <Offer onStart={() => start.run()} /> : null
}

function Offer({ onStart }: { onStart: () => void }) {
  const { data } = useRead('listPlans')
  if (!data?.trial?.open) return null
  const { creditMicros, hours } = data.trial
  return (
    <div className="trial-offer">
      <p className="muted">{words.offer(showBalance(creditMicros), showCount(hours))}</p>
      <Button onClick={onStart}>{words.tryFirst}</Button>
    </div>
  )
}

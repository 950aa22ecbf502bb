import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { graceDays } from '../../domain/billing/grace-period.ts'
import { dayMs, iso } from '../../domain/time.ts'
import type { Trial } from '../../domain/trial/trial.ts'
import { Notice } from '../components/notice.tsx'
import { useNow } from '../components/use-now.ts'
import { showBalance, showDay, showDayTime } from '../format.ts'
import { Link } from '../router.tsx'
import { trialTexts as words } from '../texts/trial.ts'

export function TrialNote({ trial, wallet }: { trial: Trial; wallet: InstanceStatus['wallet'] }) {
  const now = useNow(10_000)
  const link = <Link to="/billing">{words.keepAll}</Link>
  const endMs = Date.parse(trial.endsAt)
  if (endMs <= now) return <Notice tone="info">{words.over(showDay(iso(endMs + graceDays * dayMs)), link)}</Notice>
  if (wallet.balanceMicros + wallet.heldMicros === 0) return <Notice tone="info">{words.spent(link)}</Notice>
  return <p className="trial-note">{words.going(showBalance(wallet.balanceMicros), showDayTime(trial.endsAt), link)}</p>
}

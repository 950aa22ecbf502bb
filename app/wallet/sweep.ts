import { shards } from '../../domain/ids.ts'
import { ofGroup } from '../../domain/notifications/letter.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { isOnTrial, isSpent } from '../../domain/trial/trial.ts'
import { chargeTimeoutMs, decideAutoTopup } from '../../domain/wallet/auto-topup.ts'
import { rateDays } from '../../domain/wallet/forecast.ts'
import { warningMail } from '../../domain/wallet/mail-texts.ts'
import { heldOf } from '../../domain/wallet/state.ts'
import { spentIn } from '../../domain/wallet/usage.ts'
import { runwayDays } from '../../domain/wallet/wallet.ts'
import { decideWarning, nextCheckMs } from '../../domain/wallet/warnings.ts'
import { outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Bus } from '../ports/instance.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Trials } from '../ports/trial.ts'
import type { DueWallets, WalletCheck, Wallets } from '../ports/wallet.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { sumUpDays } from './usage.ts'

type CheckPorts = {
  wallets: Wallets
  users: Users
  events: Events
  mail: Mail
  bus: Bus
  outbox: Intents
  trials: Trials
} & Basics

/** A failure does not stop the others. @throws AggregateError of the failed ones */
export async function sweepWallets(deps: CheckPorts, nowMs: number): Promise<void> {
  const due = await dueInShards(async (shard) => [await deps.wallets.due(shard, nowMs)])
  const checked = new Set(due.flatMap(({ checks }) => checks.map(({ userId }) => userId)))
  const steps = due.map(({ holds, checks, used, topUps }) => [
    ...holds.map((hold) => () => expireHold(deps, hold, nowMs)),
    ...checks.map((check) => () => checkDaily(deps, check, nowMs)),
    ...topUps.map((topUp) => () => lookAtTopUp(deps, topUp, nowMs)),
    ...used
      .filter((userId) => !checked.has(userId))
      .map((userId) => () => checkWallet(deps, userId, { refused: false, rate: null }, nowMs)),
  ])
  await sweep(steps, 'shards', (inShard) => sweep(inShard, 'wallets', (step) => step()), shards)
}

async function expireHold(
  { wallets, events }: CheckPorts,
  { userId, callId, hold }: DueWallets['holds'][number],
  nowMs: number,
): Promise<void> {
  const line = await wallets.expire(userId, callId, hold, iso(nowMs))
  const data = { callId, amountMicros: 0, heldMicros: hold.micros, settledBecause: 'expired' }
  if (line) await events.record(userId, 'wallet.charged', data)
}

async function checkWallet(
  deps: CheckPorts,
  userId: string,
  because: { refused: boolean; rate: number | null },
  nowMs: number,
): Promise<void> {
  const [read, record] = await Promise.all([deps.wallets.read(userId), deps.wallets.autoTopup(userId)])
  const state = { ...read, rate: because.rate ?? read.rate }
  const auto = decideAutoTopup(record, state, nowMs)
  if (auto.charge) await deps.bus.publish('wallet.low', userId)
  const decided = decideWarning(state, because.refused, nowMs)
  if (decided === state.warned && because.rate === null) return
  const user = await deps.users.find(userId)
  const onTrial = user !== null && isOnTrial(user, nowMs)
  // A call that was too large for the balance does not end a trial.
  const to =
    onTrial && decided === 'empty' && !isSpent(user.trial, state.available + heldOf(state)) ? state.warned : decided
  if (to === state.warned && because.rate === null) return
  const finding = { rate: because.rate, from: state.warned, to }
  if (to === state.warned) return void (await deps.wallets.recordCheck(userId, finding))
  // The trial's end notifies its owner, too.
  if (onTrial && to === 'empty') await deps.trials.end(userId, nowMs)
  const { available: balanceMicros } = state
  const letter =
    user &&
    !onTrial &&
    ofGroup(user, 'money', warningMail(user.email, to, balanceMicros, auto, deps.settings.publicOrigin))
  const outbox = outboxOf(deps, userId, letter ? [sendMail(deps, letter)] : [])
  if (!(await deps.wallets.recordCheck(userId, finding, outbox))) return
  await outbox.flush()
  const runway = { balanceMicros, runwayDays: runwayDays(state, nowMs) }
  await deps.events.record(userId, to === 'empty' ? 'wallet.empty' : 'wallet.low', runway)
}

/** Continues an unfinished charge, or decides whether to charge now. */
async function lookAtTopUp(deps: CheckPorts, entry: DueWallets['topUps'][number], nowMs: number): Promise<void> {
  const record = await deps.wallets.autoTopup(entry.userId)
  const isUnderWay = record !== null && Object.keys(record.pending).length > 0
  if (isUnderWay) await deps.bus.publish('wallet.low', entry.userId)
  else await checkWallet(deps, entry.userId, { refused: false, rate: null }, nowMs)
  await deps.wallets.scheduleTopUp(entry, isUnderWay ? nowMs + chargeTimeoutMs : null)
}

async function checkDaily(deps: CheckPorts, check: WalletCheck, nowMs: number): Promise<void> {
  const rate = await rateNow(deps, check, nowMs)
  await checkWallet(deps, check.userId, { refused: check.refused, rate }, nowMs)
  await deps.wallets.scheduleCheck(check, rate > 0 ? nextCheckMs(nowMs) : null)
}

/** µUSD a day since the first day with spending, over at most seven days. A late check sums all missed days. */
async function rateNow(deps: { wallets: Wallets }, { userId, dueMs }: WalletCheck, nowMs: number): Promise<number> {
  const fromMs = nowMs - rateDays * dayMs
  const days = (await sumUpDays(deps, userId, Math.min(fromMs, dueMs - dayMs), nowMs, nowMs)).slice(-rateDays)
  const first = days.findIndex((day) => spentIn(day) > 0)
  if (first < 0) return 0
  const counted = days.slice(first)
  return Math.ceil(counted.reduce((sum, day) => sum + spentIn(day), 0) / counted.length)
}

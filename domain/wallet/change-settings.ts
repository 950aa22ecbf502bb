import type { SessionActor } from '../actor.ts'
import { conflict, invalid } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { type AutoTopUp, type AutoTopUpRecord, chargesMore, withSettings } from './auto-topup.ts'
import { capsOf, checkMayRaise, type LimitSettings, raises } from './limits.ts'
import type { WalletState } from './wallet.ts'

type WalletPorts = Pick<Ports, 'wallets'>

/** @throws forbidden when caps are raised without a recent sign-in */
export async function changeLimits(
  { wallets }: WalletPorts,
  { userId, signedInAt }: SessionActor,
  wanted: LimitSettings,
  nowMs: number,
): Promise<WalletState> {
  const caps = capsOf(wanted)
  if (raises((await wallets.read(userId)).caps, caps)) checkMayRaise(signedInAt, nowMs)
  return wallets.setCaps(userId, caps, nowMs)
}

/** @throws validation, forbidden when more may be charged without a recent sign-in, conflict */
export async function changeAutoTopUp(
  { wallets }: WalletPorts,
  { userId, signedInAt }: SessionActor,
  wanted: AutoTopUp,
  nowMs: number,
): Promise<AutoTopUpRecord> {
  if (wanted.monthlyCapCents < wanted.amountCents)
    throw invalid('monthlyCapCents', `give at least ${wanted.amountCents}, so that it covers one automatic top-up.`)
  const record = await wallets.autoTopUp(userId)
  if (chargesMore(record?.settings ?? null, wanted)) checkMayRaise(signedInAt, nowMs)
  const next = withSettings(record, wanted)
  if (!(await wallets.saveAutoTopUp(userId, next))) throw conflict('The settings changed meanwhile. Send them again.')
  return next
}

import type { SessionActor } from '../../domain/actor.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { type AutoTopup, type AutoTopupRecord, chargesMore, replaceSettings } from '../../domain/wallet/auto-topup.ts'
import { capsOf, checkMayRaise, type LimitSettings, raises } from '../../domain/wallet/limits.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { Events } from '../ports/chat.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'

type WalletPorts = { events: Events; wallets: Wallets }

/** @throws forbidden when caps are raised without a recent sign-in */
export async function changeLimits(
  { events, wallets }: WalletPorts,
  { userId, signedInAt }: SessionActor,
  settings: LimitSettings,
  nowMs: number,
  ...also: Part[]
): Promise<WalletState> {
  const caps = capsOf(settings)
  if (raises((await wallets.read(userId)).caps, caps)) checkMayRaise(signedInAt, nowMs)
  return wallets.setCaps(userId, caps, nowMs, events.entry(userId, 'wallet.changed', { limits: settings }), ...also)
}

/** @throws validation, forbidden when more may be charged without a recent sign-in, conflict */
export async function changeAutoTopup(
  { events, wallets }: WalletPorts,
  { userId, signedInAt }: SessionActor,
  settings: AutoTopup,
  nowMs: number,
  ...also: Part[]
): Promise<AutoTopupRecord> {
  if (settings.monthlyCapCents < settings.amountCents)
    throw invalid('monthlyCapCents', `give at least ${settings.amountCents}, so that it covers one automatic top-up.`)
  const record = await wallets.autoTopup(userId)
  if (chargesMore(record?.settings ?? null, settings)) checkMayRaise(signedInAt, nowMs)
  const next = replaceSettings(record, settings)
  const event = events.entry(userId, 'wallet.changed', { autoTopup: settings })
  if (!(await wallets.saveAutoTopup(userId, next, event, ...also)))
    throw conflict('The settings changed in the meantime. Send them again.')
  return next
}

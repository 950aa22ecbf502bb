import { formatMicros } from '../dollars.ts'
import type { AutoTopUpDecision } from './auto-topup.ts'
import { heldOf } from './hold.ts'
import { lowMicros, runwayDays, type Told, type WalletState, warnings } from './wallet.ts'

/**
 * The warning a wallet's owner should have got by now. A warning is given once until money comes in, and one of a
 * milder kind never follows a graver one.
 */
export function decideWarning(state: WalletState, refused: boolean, nowMs: number): Told {
  const now = warningOf(state, refused, nowMs)
  return warnings.indexOf(now) > warnings.indexOf(state.told) ? now : state.told
}

function warningOf(state: WalletState, refused: boolean, nowMs: number): Told {
  const left = state.available + heldOf(state)
  if (left === 0 || (refused && left < lowMicros)) return 'empty'
  if (left < lowMicros) return 'low'
  const days = runwayDays(state, nowMs)
  if (days === null || days >= 7) return 'none'
  if (days >= 3) return 'week'
  return days >= 1 ? 'days' : 'day'
}

const words: Record<Exclude<Told, 'none'>, { subject: string; text: string }> = {
  week: { subject: 'Your wallet lasts less than a week', text: 'At the present rate it lasts less than seven days.' },
  days: {
    subject: 'Your wallet lasts less than three days',
    text: 'At the present rate it lasts less than three days.',
  },
  day: { subject: 'Your wallet lasts less than a day', text: 'At the present rate it is empty within a day.' },
  low: { subject: 'Your wallet is low', text: 'Less than $1 is left.' },
  empty: { subject: 'Your wallet is empty', text: 'Your agent cannot make model calls until you top it up.' },
}

/** What to do, by what automatic top-up does about it. */
const ways: Record<'charge' | Extract<AutoTopUpDecision, { charge: false }>['because'], string> = {
  charge: 'An automatic top-up is on its way. Top up by hand as well',
  pending: 'An automatic top-up is on its way. Top up by hand as well',
  off: 'Top it up, or switch on automatic top-up',
  suspended: 'It is suspended, and automatic top-up with it: answer this mail to have that looked into. Your wallet',
  enough: 'Automatic top-up comes at the balance that you have set. Raise that, or top up by hand',
  capped: 'Automatic top-up has reached its cap for this month (UTC). Raise the cap, or top up by hand',
  declined: 'Automatic top-up waits, because your card was declined. Top up by hand with another card, which is saved',
}

export function warningMail(to: string, told: Told, balanceMicros: number, auto: AutoTopUpDecision, origin: string) {
  const { subject, text } = words[told === 'none' ? 'low' : told]
  const body = [
    `Your Berth wallet holds ${formatMicros(balanceMicros)}. ${text}`,
    `${ways[auto.charge ? 'charge' : auto.because]}: ${origin}/wallet`,
    'You get this once; after the next top-up we warn you anew.',
  ]
  return { to, subject, text: body.join('\n\n') }
}

import { formatMicros } from '../dollars.ts'
import type { AutoTopupDecision } from './auto-topup.ts'
import type { WarningLevel } from './state.ts'

const lines: Record<Exclude<WarningLevel, 'none'>, { subject: string; text: string }> = {
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
const remedies: Record<'charge' | Extract<AutoTopupDecision, { charge: false }>['because'], string> = {
  charge: 'An automatic top-up is on its way. Top up by hand as well',
  pending: 'An automatic top-up is on its way. Top up by hand as well',
  off: 'Top it up, or switch on automatic top-up',
  suspended: 'It is suspended, and automatic top-up with it: answer this mail to have that looked into. Your wallet',
  enough: 'Automatic top-up comes at the balance that you have set. Raise that, or top up by hand',
  capped: 'Automatic top-up has reached its cap for this month (UTC). Raise the cap, or top up by hand',
  declined: 'Automatic top-up waits, because your card was declined. Top up by hand with another card, which is saved',
}

export function warningMail(
  to: string,
  level: WarningLevel,
  balanceMicros: number,
  auto: AutoTopupDecision,
  origin: string,
) {
  const { subject, text } = lines[level === 'none' ? 'low' : level]
  const body = [
    `Your Berth wallet holds ${formatMicros(balanceMicros)}. ${text}`,
    `${remedies[auto.charge ? 'charge' : auto.because]}: ${origin}/wallet`,
    'You get this once; after the next top-up we warn you anew.',
  ]
  return { to, subject, text: body.join('\n\n') }
}

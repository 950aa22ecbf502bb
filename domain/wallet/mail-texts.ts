import { formatMicros } from '../dollars.ts'
import type { AutoTopupDecision } from './auto-topup.ts'
import type { WarningLevel } from './state.ts'

const lines: Record<Exclude<WarningLevel, 'none'>, { subject: string; text: string }> = {
  week: {
    subject: 'Your wallet will be empty within a week',
    text: 'At the current rate it will be empty within seven days.',
  },
  days: {
    subject: 'Your wallet will be empty within three days',
    text: 'At the current rate it will be empty within three days.',
  },
  day: {
    subject: 'Your wallet will be empty within a day',
    text: 'At the current rate it will be empty within a day.',
  },
  low: { subject: 'Your wallet is low', text: 'Less than $1 is left.' },
  empty: { subject: 'Your wallet is empty', text: 'Your agent cannot make model calls until you top it up.' },
}

const remedies: Record<'charge' | Extract<AutoTopupDecision, { charge: false }>['because'], string> = {
  charge: 'An automatic top-up has started. You can also top up yourself',
  pending: 'An automatic top-up has started. You can also top up yourself',
  off: 'Top it up, or turn on automatic top-up',
  suspended:
    'Your wallet and its automatic top-up are suspended. Reply to this e-mail and we’ll look into it. Your wallet',
  enough: 'Automatic top-up waits for the balance that you set. Raise that balance, or top up yourself',
  capped: 'Automatic top-up has reached its cap for this month (UTC). Raise the cap, or top up yourself',
  declined: 'Automatic top-up is paused because your card was declined. Top up with another card, which will be saved',
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
    'We send this warning once, and again only after your next top-up.',
  ]
  return { to, subject, text: body.join('\n\n') }
}

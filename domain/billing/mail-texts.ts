import { formatMicros } from '../dollars.ts'
import { centsToMicros } from '../money.ts'
import { iso } from '../time.ts'
import { graceDays } from './grace-period.ts'
import { newAccountLimitMicros } from './top-up.ts'

interface MailText {
  to: string
  subject: string
  text: string
}

export const topUpRefused = (to: string, amountMicros: number, because: 'limit' | 'closed'): MailText => ({
  to,
  subject: `Your top-up of ${formatMicros(amountMicros)} is being refunded`,
  text: [
    because === 'closed'
      ? 'Your account is scheduled for deletion, so we cannot accept this payment.'
      : `A new account can add ${formatMicros(newAccountLimitMicros)} a day in its first 30 days, and this payment exceeds that limit.`,
    `Nothing was added to your wallet, and ${formatMicros(amountMicros)} will be back on your card within a few days.`,
  ].join('\n\n'),
})

export const subscriptionRefunded = (to: string, because: 'second' | 'closed'): MailText => ({
  to,
  subject: `Your ${because === 'second' ? 'second ' : ''}subscription was cancelled and refunded`,
  text:
    because === 'closed'
      ? 'Your account is scheduled for deletion, so we cannot accept this subscription. It is cancelled, and its payment will be back on your card within a few days.'
      : 'Two subscriptions were paid for your account, but an account can have only one. The second one is cancelled, and its payment will be back on your card within a few days. The first one continues unchanged.',
})

export const paymentFailed = (to: string, amountCents: number, origin: string): MailText => ({
  to,
  subject: 'Your subscription could not be paid',
  text: [
    `Your card was declined for ${formatMicros(centsToMicros(amountCents))}. We will try it again in the next days. Your agent keeps running meanwhile.`,
    `Check your card on ${origin}/billing.`,
  ].join('\n\n'),
})

export const walletFrozen = (to: string): MailText => ({
  to,
  subject: 'Your wallet is on hold',
  text: 'The bank of a card that paid for your account reports that the card’s owner may not have agreed to the payment. Until this is settled, your agent cannot spend. Reply to this e-mail and we’ll look into it.',
})

/** @param nextMs earliest next try of the card; null after the last try */
export const autoTopupFailed = (
  to: string,
  { amountCents, noCard, nextMs }: { amountCents: number; noCard: boolean; nextMs: number | null },
  origin: string,
): MailText => {
  const amount = formatMicros(centsToMicros(amountCents))
  const what = noCard ? `There is no saved card to charge ${amount} to.` : `Your card was declined for ${amount}.`
  const next =
    nextMs === null
      ? 'This was the last attempt: automatic top-up is now off.'
      : `We will try again after ${iso(nextMs).slice(0, 16).replace('T', ' ')} UTC if your wallet is still low.`
  const again = nextMs === null ? ' Then save the settings of automatic top-up there to turn it on again.' : ''
  return {
    to,
    subject: nextMs === null ? 'Automatic top-up has stopped' : 'An automatic top-up failed',
    text: [
      `${what} ${next} Your agent stops answering when the wallet is empty.`,
      `Save another card on ${origin}/wallet: a top-up saves the card that pays for it.${again}`,
      `You can choose the card on ${origin}/billing.`,
    ].join('\n\n'),
  }
}

type Over = 'subscription' | 'trial'

export const filesWaiting = (
  to: string,
  over: Over,
  daysLeft: number,
  deletedAt: string,
  origin: string,
): MailText => ({
  to,
  subject:
    daysLeft >= graceDays
      ? `Your ${over} has ended; your files are kept for ${graceDays} days`
      : `Your files are deleted in ${daysLeft} days`,
  text: [
    `Your ${over} has ended, and your agent is paused.`,
    `We keep its files until ${deletedAt.slice(0, 10)} and then delete them. After that, nobody can restore them.`,
    `Subscribe${over === 'trial' ? '' : ' again'} before that day, and your agent continues with all its files: ${origin}/billing`,
  ].join('\n\n'),
})

/** @param kept false for files of a trial that were too large to keep */
export const filesDeleted = (to: string, over: Over, kept = true): MailText => ({
  to,
  subject: 'Your agent’s files have been deleted',
  text: `Your ${over} ${kept ? `ended ${graceDays} days ago` : 'is over, and its files exceeded the size that we keep'}, so your agent and its files have been deleted. The balance of your wallet stays yours. You can subscribe${over === 'trial' ? '' : ' again'} at any time and start over.`,
})

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
      ? 'Your account is set to be deleted, so this payment came too late.'
      : `A new account can add ${formatMicros(newAccountLimitMicros)} a day for its first 30 days, and this payment would have passed that.`,
    `Nothing was added to your wallet, and ${formatMicros(amountMicros)} goes back to your card within days.`,
  ].join('\n\n'),
})

export const subscriptionRefunded = (to: string, because: 'second' | 'closed'): MailText => ({
  to,
  subject: `Your ${because === 'second' ? 'second ' : ''}subscription was cancelled and refunded`,
  text:
    because === 'closed'
      ? 'Your account is set to be deleted, so this subscription came too late. It is cancelled, and its payment goes back to your card within days.'
      : 'Two subscriptions were paid for your account, and it can have one. The second is cancelled, and its payment goes back to your card within days. The first goes on unchanged.',
})

export const paymentFailed = (to: string, amountCents: number, origin: string): MailText => ({
  to,
  subject: 'Your subscription could not be paid',
  text: [
    `Your card did not pay ${formatMicros(centsToMicros(amountCents))}. It will be tried again in the next days, and your agent keeps running meanwhile.`,
    `Check your card on ${origin}/billing.`,
  ].join('\n\n'),
})

export const walletFrozen = (to: string): MailText => ({
  to,
  subject: 'Your wallet is on hold',
  text: 'The bank of a card that paid for your account reports that its owner may not know of it. Until that is settled your agent cannot spend. Answer this mail and we look into it.',
})

/** @param nextMs when the card may be tried again at the soonest; null after the last try */
export const autoTopupFailed = (
  to: string,
  { amountCents, noCard, nextMs }: { amountCents: number; noCard: boolean; nextMs: number | null },
  origin: string,
): MailText => {
  const amount = formatMicros(centsToMicros(amountCents))
  const what = noCard ? `There is no saved card to charge ${amount} to.` : `Your card did not pay ${amount}.`
  const next =
    nextMs === null
      ? 'This was the last try: automatic top-up has stopped, and nothing more is charged by itself.'
      : `It is tried again after ${iso(nextMs).slice(0, 16).replace('T', ' ')} UTC, when your wallet is used and still low.`
  const again = nextMs === null ? ' Then save the settings of automatic top-up there, and it goes on.' : ''
  return {
    to,
    subject: nextMs === null ? 'Automatic top-up has stopped' : 'An automatic top-up did not go through',
    text: [
      `${what} ${next} Your agent stops answering when the wallet is empty.`,
      `Save another card on ${origin}/wallet: a top-up by hand saves the card it is paid with.${again}`,
      `Which of your saved cards is charged you choose on ${origin}/billing.`,
    ].join('\n\n'),
  }
}

/** What ended before files are kept for a time. */
type Over = 'subscription' | 'trial'

/** @param daysLeft until the files are deleted */
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
    `Its files are kept until ${deletedAt.slice(0, 10)} and deleted after that. They cannot be brought back then.`,
    `Subscribe${over === 'trial' ? '' : ' again'} before that day, and your agent goes on where it was: ${origin}/billing`,
  ].join('\n\n'),
})

/** @param kept false for files that were more than is kept after a trial: they went with it */
export const filesDeleted = (to: string, over: Over, kept = true): MailText => ({
  to,
  subject: 'Your agent’s files have been deleted',
  text: `Your ${over} ${kept ? `ended ${graceDays} days ago` : 'is over, and your files were more than is kept after it'}, so your agent and its files have been deleted. What is left in your wallet stays yours. You can subscribe${over === 'trial' ? '' : ' again'} at any time and begin afresh.`,
})

import { useEffect, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth } from '../data/client.ts'
import { checkoutOutcome, Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

const words = texts.layout.checkout

/** Shown once, on the page to which the checkout returned. */
let pendingOutcome = checkoutOutcome

/** A credit within this time counts as this checkout's, ms. */
const youngMs = 120_000

/** µUSD credited a moment ago; null for none. */
async function justCredited(): Promise<number | null> {
  const { transactions } = await berth.listTransactions({ limit: 25 })
  const credit = transactions.find(({ type }) => type === 'topup' || type === 'subscription_credit')
  return credit && Date.now() - Date.parse(credit.at) < youngMs ? credit.amountMicros : null
}

/** The outcome of the hosted checkout; a payment is confirmed when it is credited. */
export function CheckoutNotice() {
  const { status } = useAccount()
  const [outcome, setOutcome] = useState(pendingOutcome)
  const [credited, setCredited] = useState<number | null>(null)
  useEffect(() => {
    pendingOutcome = null
    if (outcome === 'success')
      justCredited().then(
        (found) => found && setCredited(found),
        () => {},
      )
  }, [])
  useServerEvents('wallet.credited', (event) => {
    if (typeof event?.data.amountMicros === 'number') setCredited(event.data.amountMicros)
  })

  if (outcome === null) return null
  const close = () => setOutcome(null)
  if (outcome === 'canceled') {
    return (
      <Notice tone="info" onClose={close}>
        {words.canceled}
      </Notice>
    )
  }
  if (credited === null) {
    return (
      <Notice tone="info" onClose={close}>
        {words.pending}
      </Notice>
    )
  }
  return (
    <Notice tone="good" onClose={close}>
      {words.confirmed(formatMicros(credited))}{' '}
      {status?.instance?.state === 'provisioning' && (
        <>
          {words.starting} <Link to="/">{words.sayHello}</Link>
        </>
      )}
    </Notice>
  )
}

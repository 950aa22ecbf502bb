import { useEffect, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import { useEvent, useLive } from '../account.tsx'
import { checkoutOutcome, Link } from '../route.tsx'
import { Notice } from './notice.tsx'

/** Told once, on the page that the checkout came back to. */
let untold = checkoutOutcome

/** What came of the hosted checkout. The payment's own news may arrive before or after its payer. */
export function CheckoutNotice() {
  const { status } = useLive()
  const [outcome, setOutcome] = useState(untold)
  const [credited, setCredited] = useState<number | null>(null)
  useEffect(() => {
    untold = null
  }, [])
  useEvent(({ type, data }) => {
    if (type === 'wallet.credited' && typeof data.amountMicros === 'number') setCredited(data.amountMicros)
  })

  if (outcome === null) return null
  const close = () => setOutcome(null)
  if (outcome === 'canceled') {
    return (
      <Notice tone="info" onClose={close}>
        Checkout was canceled. Nothing was charged.
      </Notice>
    )
  }
  return (
    <Notice tone="good" onClose={close}>
      Thank you, your payment is confirmed.{' '}
      {credited === null ? 'It shows here within moments.' : `${formatMicros(credited)} arrived in your wallet.`}{' '}
      {status?.instance?.state === 'provisioning' && (
        <>
          Your agent’s machine is starting. <Link to="/">Say hello</Link>
        </>
      )}
    </Notice>
  )
}

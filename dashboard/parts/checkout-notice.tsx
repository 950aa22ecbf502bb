import { useEffect, useState } from 'react'
import type { Event as Happening } from '../../domain/chat/event.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { useEvent } from '../account.tsx'
import { checkoutOutcome } from '../route.tsx'
import { Notice } from './notice.tsx'

let shown = checkoutOutcome

/** What came of the hosted checkout, once: the payment's own news may arrive a moment after its payer. */
export function CheckoutNotice({ what }: { what: 'topup' | 'plan' }) {
  const [outcome, setOutcome] = useState(shown)
  const [credited, setCredited] = useState<string | null>(null)
  useEvent((one) => {
    if (what === 'topup' && one.type === 'wallet.credited') setCredited(amountOf(one))
  })
  useEffect(() => {
    shown = null
  }, [])
  const close = () => {
    setOutcome(null)
    setCredited(null)
  }
  if (credited !== null) {
    return (
      <Notice tone="good" onClose={close}>
        {credited} arrived in your wallet.
      </Notice>
    )
  }
  if (outcome === 'canceled') {
    return (
      <Notice tone="info" onClose={close}>
        Checkout was canceled. Nothing was charged.
      </Notice>
    )
  }
  if (outcome !== 'success') return null
  return (
    <Notice tone="good" onClose={close}>
      {what === 'topup'
        ? 'Thank you. Your payment is confirmed, and the credit shows up here within moments.'
        : 'Thank you. Your plan is confirmed, and your agent’s machine starts within moments.'}
    </Notice>
  )
}

function amountOf({ data }: Happening): string {
  const amount = data.amountMicros
  return typeof amount === 'number' ? formatMicros(amount) : 'Your credit'
}

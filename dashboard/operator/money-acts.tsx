import { useState } from 'react'
import type { UserOverview } from '../../clients/typescript/operations.ts'
import { TextField } from '../components/text-field.tsx'
import { berth } from '../data/client.ts'
import { centMicros, showBalance, showCents, showDay } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { readCents } from '../wallet/dollar-field.tsx'
import { ActDialog, type UserActProps } from './act-dialog.tsx'

/** Null for anything but a positive amount of dollars. */
const centsOf = (text: string): number | null => readCents(text) || null

const AmountField = ({ text, most, onChange }: { text: string; most: number; onChange: (text: string) => void }) => (
  <TextField
    label={words.credit.amount}
    hint={words.credit.most(showCents(most))}
    inputMode="decimal"
    required
    value={text}
    onInput={({ currentTarget }) => {
      const cents = centsOf(currentTarget.value)
      currentTarget.setCustomValidity(
        cents === null ? words.credit.wrong : cents > most ? words.credit.most(showCents(most)) : '',
      )
    }}
    onText={onChange}
  />
)

const shownAmount = (text: string): string => {
  const cents = centsOf(text)
  return cents === null ? '…' : showCents(cents)
}

export function CreditDialog({ user, person, maxCents, onClose }: UserActProps & { maxCents: number }) {
  const [amount, setAmount] = useState('')
  return (
    <ActDialog
      title={words.credit.title(shownAmount(amount), person)}
      act={(reason, idempotencyKey) =>
        berth.creditUser({ user, amountCents: centsOf(amount) ?? 0, reason }, { idempotencyKey })
      }
      onClose={onClose}
    >
      <AmountField text={amount} most={maxCents} onChange={setAmount} />
    </ActDialog>
  )
}

interface RefundProps extends UserActProps {
  maxCents: number
  payment: UserOverview['payments'][number]
}

export function RefundDialog({ user, person, payment, maxCents, onClose }: RefundProps) {
  const left = Math.min(maxCents, Math.ceil((payment.amountMicros - payment.takenBackMicros) / centMicros))
  const [amount, setAmount] = useState((left / 100).toFixed(2))
  return (
    <ActDialog
      title={words.refund.title(shownAmount(amount), person)}
      hint={`${words.refund.payment(
        words.users.paymentKinds[payment.kind],
        showBalance(payment.amountMicros),
        payment.at ? showDay(payment.at) : '',
      )} ${words.refund.hint}`}
      danger
      act={(reason, idempotencyKey) =>
        berth.refundUser({ user, payment: payment.name, amountCents: centsOf(amount) ?? 0, reason }, { idempotencyKey })
      }
      onClose={onClose}
    >
      <AmountField text={amount} most={left} onChange={setAmount} />
    </ActDialog>
  )
}

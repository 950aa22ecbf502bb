import { lazy, Suspense, useEffect, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { Boundary } from '../components/boundary.tsx'
import { type Asked, showStepUpBy } from './ask.ts'

const StepUpDialog = lazy(async () => ({ default: (await import('./dialog.tsx')).StepUpDialog }))

export function StepUpHost({ account }: { account: Account }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  useEffect(() => showStepUpBy(setAsked), [])
  if (!asked) return null
  return (
    <Boundary fallback={<Unanswered asked={asked} />}>
      <Suspense fallback={null}>
        <StepUpDialog asked={asked} account={account} />
      </Suspense>
    </Boundary>
  )
}

/** The dialog failed to render: waiting actions are refused. */
function Unanswered({ asked }: { asked: Asked }) {
  useEffect(() => asked.answer(false), [asked])
  return null
}

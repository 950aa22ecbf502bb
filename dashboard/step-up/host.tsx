import { lazy, Suspense, useEffect, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { Boundary } from '../components/boundary.tsx'
import { type SignInRequest, showStepUpBy } from './ask.ts'

const StepUpDialog = lazy(async () => ({ default: (await import('./dialog.tsx')).StepUpDialog }))

export function StepUpHost({ account }: { account: Account }) {
  const [request, setRequest] = useState<SignInRequest | null>(null)
  useEffect(() => showStepUpBy(setRequest), [])
  if (!request) return null
  return (
    <Boundary fallback={<Unanswered request={request} />}>
      <Suspense fallback={null}>
        <StepUpDialog request={request} account={account} />
      </Suspense>
    </Boundary>
  )
}

/** The dialog failed to render: waiting actions are refused. */
function Unanswered({ request }: { request: SignInRequest }) {
  useEffect(() => request.answer(false), [request])
  return null
}

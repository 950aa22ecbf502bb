import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { LinkForm, mailedLink } from '../account/link-form.tsx'
import { PasskeyButton } from '../account/passkey-button.tsx'
import { ApiError, api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Brand } from '../parts/icons.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'

interface Props {
  because: string | undefined
  onSignedIn: (account: Account) => void
}

export function SignInPage({ because, onSignedIn: signedIn }: Props) {
  const [link, setLink] = useState(mailedLink)
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState(false)
  useEffect(() => {
    document.title = 'Sign in · Berth'
  }, [])
  const onSignedIn = (account: Account) => {
    if (window.location.pathname === '/sign-in') window.history.replaceState(null, '', '/')
    signedIn(account)
  }
  return (
    <main className="gate">
      <Brand />
      <section className="card gate-card">
        {link ? (
          <LinkForm link={link} onSignedIn={onSignedIn} onBack={() => setLink(null)} />
        ) : mailed ? (
          <CodeForm email={email} onSignedIn={onSignedIn} onBack={() => setMailed(false)} />
        ) : (
          <>
            <EmailForm because={because} email={email} setEmail={setEmail} onMailed={() => setMailed(true)} />
            <PasskeyButton onSignedIn={onSignedIn} />
          </>
        )}
      </section>
      <p className="gate-foot muted">Your own agent, with its own machine and a wallet you control.</p>
    </main>
  )
}

interface EmailProps {
  because: string | undefined
  email: string
  setEmail: (email: string) => void
  onMailed: () => void
}

function EmailForm({ because, email, setEmail, onMailed }: EmailProps) {
  const field = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState<string | null>(null)
  const login = useAction(async () => {
    await api.login(email.trim())
    onMailed()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const bad = !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())
    setMissing(bad ? 'Enter an e-mail address such as ada@example.com.' : null)
    if (bad) field.current?.focus()
    else login.run()
  }
  const problem = missing ?? login.details.email?.[0] ?? login.problem
  useEffect(() => field.current?.focus(), [])
  return (
    <form onSubmit={submit} noValidate>
      <h1>Sign in</h1>
      <p className="muted">We mail you a six-digit code. New here? The same code makes your account.</p>
      {because && <Notice tone="info">{because}</Notice>}
      <div className="field">
        <label htmlFor="email">E-mail address</label>
        <input
          ref={field}
          id="email"
          type="email"
          autoComplete="email"
          placeholder="ada@example.com"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          aria-invalid={problem !== null}
          aria-describedby="email-problem"
        />
        <p id="email-problem" className="field-problem" role="alert">
          {problem}
        </p>
      </div>
      <Button look="primary" submit busy={login.busy}>
        Send me a code
      </Button>
    </form>
  )
}

const codeLength = 6
const resendSeconds = 30

function CodeForm({
  email,
  onSignedIn,
  onBack,
}: {
  email: string
  onSignedIn: Props['onSignedIn']
  onBack: () => void
}) {
  const [code, setCode] = useState('')
  const [wait, setWait] = useState(resendSeconds)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(timer)
  }, [wait])

  const verify = useAction(async (typed: string) => {
    const complete = typed.length === codeLength
    if (!complete) throw new ApiError('validation', 'Enter all six digits of the code.')
    try {
      const { account } = await api.verify(email.trim(), typed)
      onSignedIn(account)
    } catch (thrown) {
      field.current?.select()
      const wrong = thrown instanceof ApiError && (thrown.code === 'unauthorized' || thrown.code === 'validation')
      if (!wrong) throw thrown
      throw new ApiError('unauthorized', 'That code is not right, or it has expired. Check it, or ask for a new one.')
    }
  })
  const resend = useAction(async () => {
    await api.login(email.trim())
    setCode('')
    setWait(resendSeconds)
    field.current?.focus()
  })
  const type = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, codeLength)
    setCode(digits)
    verify.clear()
    if (digits.length === codeLength && digits !== code) verify.run(digits)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    verify.run(code)
  }
  const problem = verify.problem ?? resend.problem
  return (
    <form onSubmit={submit} noValidate>
      <h1>Check your mail</h1>
      <p className="muted">
        We sent a code to <strong>{email.trim()}</strong>. It is good for ten minutes.
      </p>
      <div className="field">
        <label htmlFor="code">Six-digit code</label>
        <input
          ref={field}
          id="code"
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder="000000"
          value={code}
          onChange={(event) => type(event.target.value)}
          aria-invalid={problem !== null}
          aria-describedby="code-problem"
        />
        <p id="code-problem" className="field-problem" role="alert">
          {problem}
        </p>
      </div>
      <Button look="primary" submit busy={verify.busy}>
        Sign in
      </Button>
      <div className="gate-more">
        <button type="button" className="quiet" disabled={wait > 0 || resend.busy} onClick={() => resend.run()}>
          {wait > 0 ? `New code in ${wait} s` : 'Send a new code'}
        </button>
        <button type="button" className="quiet" onClick={onBack}>
          Use another address
        </button>
      </div>
    </form>
  )
}

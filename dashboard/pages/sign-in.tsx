import { type FormEvent, useEffect, useRef, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import type { Account } from '../../domain/account/user.ts'
import { passkeysWork, signInWithPasskey } from '../account/passkeys.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Brand } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'

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
    <main className="sign-in">
      <Brand />
      <section className="card sign-in-card">
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
      <p className="sign-in-foot muted">Your own agent, with its own machine and a wallet you control.</p>
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
    await berth.login({ email: email.trim() })
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
      <Button variant="primary" submit busy={login.busy}>
        Send me a code
      </Button>
    </form>
  )
}

const codeLength = 6
const resendSeconds = 30

interface FormProps {
  onSignedIn: (account: Account) => void
  onBack: () => void
}

function CodeForm({ email, onSignedIn, onBack }: FormProps & { email: string }) {
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
    if (!complete) throw new BerthError('validation', 'Enter all six digits of the code.')
    try {
      const { account } = await berth.verify({ email: email.trim(), code: typed })
      onSignedIn(account)
    } catch (thrown) {
      field.current?.select()
      const wrong = thrown instanceof BerthError && (thrown.code === 'unauthorized' || thrown.code === 'validation')
      if (!wrong) throw thrown
      throw new BerthError('unauthorized', 'That code is not right, or it has expired. Check it, or ask for a new one.')
    }
  })
  const resend = useAction(async () => {
    await berth.login({ email: email.trim() })
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
        We sent a code and a link to <strong>{email.trim()}</strong>. The code is good for ten minutes in this browser,
        the link for an hour in any. No new mail? The link of the one before works.
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
      <Button variant="primary" submit busy={verify.busy}>
        Sign in
      </Button>
      <div className="sign-in-more">
        <button type="button" className="link-button" disabled={wait > 0 || resend.busy} onClick={() => resend.run()}>
          {wait > 0 ? `New code in ${wait} s` : 'Send a new code'}
        </button>
        <button type="button" className="link-button" onClick={onBack}>
          Use another address
        </button>
      </div>
    </form>
  )
}

interface MailedLink {
  email: string
  token: string
}

/** What a mailed link carries behind its `#`, where no server sees it; null on any other address. */
function mailedLink(): MailedLink | null {
  const fields = new URLSearchParams(window.location.hash.slice(1))
  const [email, token] = [fields.get('email'), fields.get('token')]
  return email && token ? { email, token } : null
}

/** One press, so that a program that only looks at links does not use it up. */
function LinkForm({ link, onSignedIn, onBack }: FormProps & { link: MailedLink }) {
  const verify = useAction(async () => {
    const { account } = await berth.verify({ email: link.email, token: link.token })
    onSignedIn(account)
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        verify.run()
      }}
    >
      <h1>Sign in</h1>
      <p className="muted">
        You opened the link mailed to <strong>{link.email}</strong>.
      </p>
      <p className="field-problem" role="alert">
        {verify.problem}
      </p>
      <Button variant="primary" submit busy={verify.busy}>
        Sign in
      </Button>
      <div className="sign-in-more">
        <button type="button" className="link-button" onClick={onBack}>
          Use a code instead
        </button>
      </div>
    </form>
  )
}

/** Signs in with a passkey of this device, where browsers have them. */
function PasskeyButton({ onSignedIn }: { onSignedIn: (account: Account) => void }) {
  const signIn = useAction(async () => onSignedIn(await signInWithPasskey()))
  if (!passkeysWork()) return null
  return (
    <>
      <Button busy={signIn.busy} onClick={() => signIn.run()}>
        Sign in with a passkey
      </Button>
      <p className="field-problem" role="alert">
        {signIn.problem}
      </p>
    </>
  )
}

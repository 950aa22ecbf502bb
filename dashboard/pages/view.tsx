import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { BerthError, createClient } from '../../clients/typescript/client.ts'
import type { View } from '../../clients/typescript/operations.ts'
import { secondMs } from '../../domain/time.ts'
import { AccountProvider } from '../account-state.tsx'
import { Loading } from '../components/notice.tsx'
import { cache, useRead } from '../data/cache.ts'
import { errorText } from '../data/client.ts'
import { Layout } from '../layout.tsx'
import { operatorTexts as words } from '../texts/operator.ts'
import { reasonId, ViewBanner } from '../view/banner.tsx'
import { useReadOnly } from '../view/use-read-only.ts'

/** Calls as the operator; all other calls here are for the viewed user. */
const operator = createClient({ baseUrl: '/api' })

/** Interval of checking that the view still stands, ms. */
const againMs = 10 * secondMs

/** Leaves nothing of the user in this page or the history. */
const leave = (user?: string) => {
  cache.clear()
  window.location.replace(user ? `/operator?query=${user}` : '/operator')
}

export function ViewPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['view'],
    queryFn: () => operator.getView(),
    refetchInterval: againMs,
    refetchIntervalInBackground: true,
  })
  useEffect(() => {
    // A page restored from the browser's cache would show the user again.
    const reload = ({ persisted }: PageTransitionEvent) => persisted && window.location.reload()
    window.addEventListener('pageshow', reload)
    return () => window.removeEventListener('pageshow', reload)
  }, [])
  const first = useRef<string>(null)
  const isRefused = error instanceof BerthError && ['forbidden', 'unauthorized'].includes(error.code)
  const standing = !isRefused && data?.here ? data.view : null
  useEffect(() => {
    if (!standing) return
    // Data of one user must not appear below the name of another.
    if (first.current && first.current !== standing.id) return window.location.reload()
    first.current = standing.id
  }, [standing])
  if (standing && Date.parse(standing.endsAt) > Date.now())
    return <Seen key={standing.id} view={standing} over={() => void refetch()} />
  if (data || error) return <Over because={error ? errorText(error) : words.view.over} />
  return (
    <Alone>
      <Loading problem={null} retry={() => {}} />
    </Alone>
  )
}

const Alone = ({ children }: { children: ReactNode }) => <main className="sign-in">{children}</main>

function Over({ because }: { because: string }) {
  useEffect(() => cache.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'view' }), [])
  return (
    <Alone>
      <h1>{words.view.overTitle}</h1>
      <p role="status">{because}</p>
      <a className="button primary" href="/operator">
        {words.view.toConsole}
      </a>
    </Alone>
  )
}

function Seen({ view, over }: { view: View; over: () => void }) {
  const { data, problem, reload } = useRead('getSession')
  const below = useReadOnly(words.view.cannot, reasonId)
  useEffect(() => {
    const timer = setTimeout(over, Math.max(0, Date.parse(view.endsAt) - Date.now()))
    return () => clearTimeout(timer)
  }, [view.endsAt, over])
  const end = async () => {
    await operator.endView({ user: view.user, reason: view.reason })
    leave(view.user)
  }
  return (
    <>
      <ViewBanner view={view} person={data?.account.email ?? view.user} end={end} />
      <div ref={below} className="viewed">
        {data ? (
          <AccountProvider account={data.account}>
            <Layout onSignedOut={() => leave()} />
          </AccountProvider>
        ) : (
          <Alone>
            <Loading problem={problem} retry={reload} />
          </Alone>
        )}
      </div>
    </>
  )
}

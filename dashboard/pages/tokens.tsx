import { useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { Empty } from '../components/empty.tsx'
import { Loading } from '../components/notice.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { useRead } from '../data/cache.ts'
import { Link } from '../router.tsx'
import { tokenTexts } from '../texts/tokens.ts'
import { MintForm } from '../tokens/mint-form.tsx'
import { Minted } from '../tokens/minted.tsx'
import { ChangeDialog, RevokeDialog } from '../tokens/token-dialogs.tsx'
import { TokenRow } from '../tokens/token-row.tsx'

/** No event announces the use of a token. */
const rereadMs = 10_000

export function TokensPage() {
  const words = tokenTexts
  const { data, problem, reload } = useRead('listTokens')
  useRepeated(reload, rereadMs)
  const tokens = data?.tokens.filter(({ app }) => !app)
  const apps = data?.tokens.filter(({ app }) => app) ?? []
  const [minted, setMinted] = useState<MintedPat | null>(null)
  const [revoking, setRevoking] = useState<Pat | null>(null)
  const [changing, setChanging] = useState<Pat | null>(null)
  const title = useRef<HTMLHeadingElement>(null)

  return (
    <>
      <h1>{words.title}</h1>
      <p className="muted page-lead">
        {words.lead} <Link to="/connect">{words.connectClient}</Link>.{' '}
        <a href="/connect/doctor">{words.checkConnection}</a>. <a href="/docs">{words.apiDocs}</a>.
      </p>
      {minted ? (
        <Minted
          token={minted}
          onDone={() => {
            setMinted(null)
            title.current?.focus()
          }}
        />
      ) : (
        <MintForm
          onMinted={(token) => {
            setMinted(token)
            reload()
          }}
        />
      )}
      <section aria-labelledby="tokens-title">
        <h2 id="tokens-title" ref={title} tabIndex={-1}>
          {words.yours}
        </h2>
        {!tokens && <Loading problem={problem} retry={reload} />}
        {tokens?.length === 0 && <Empty text={words.none} hint={words.noneHint} />}
        {tokens && tokens.length > 0 && (
          <ul className="card rows">
            {newestFirst(tokens).map((token) => (
              <TokenRow
                key={token.id}
                token={token}
                onChange={() => setChanging(token)}
                onRevoke={() => setRevoking(token)}
              />
            ))}
          </ul>
        )}
      </section>
      {apps.length > 0 && (
        <section aria-labelledby="apps-title">
          <h2 id="apps-title">{words.apps}</h2>
          <p className="muted">{words.appsLead}</p>
          <ul className="card rows">
            {newestFirst(apps).map((app) => (
              <TokenRow
                key={app.id}
                token={app}
                onChange={app.scopes.some(spends) ? () => setChanging(app) : undefined}
                onRevoke={() => setRevoking(app)}
              />
            ))}
          </ul>
        </section>
      )}
      {changing && (
        <ChangeDialog
          token={changing}
          onClose={(token) => {
            setChanging(null)
            if (token) setMinted(token)
            reload()
            if (!token) title.current?.focus()
          }}
        />
      )}
      {revoking && (
        <RevokeDialog
          token={revoking}
          onClose={(revoked) => {
            setRevoking(null)
            if (!revoked) return
            reload()
            title.current?.focus()
          }}
        />
      )}
    </>
  )
}

const newestFirst = (tokens: Pat[]): Pat[] =>
  [...tokens].sort((a, b) =>
    (a.status === 'active') === (b.status === 'active')
      ? b.createdAt.localeCompare(a.createdAt)
      : a.status === 'active'
        ? -1
        : 1,
  )

import { useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { useServerEvents } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Loading } from '../components/notice.tsx'
import { useData } from '../components/use-data.ts'
import { showBalance, showDay, showDayTime } from '../format.ts'
import { capOf } from '../tokens/cap.ts'
import { MintForm } from '../tokens/mint-form.tsx'
import { Minted } from '../tokens/minted.tsx'
import { ChangeDialog, RevokeDialog } from '../tokens/token-dialogs.tsx'

export function TokensPage() {
  const { data, problem, reload } = useData(berth.listTokens)
  const tokens = data?.tokens.filter(({ app }) => !app)
  const apps = data?.tokens.filter(({ app }) => app) ?? []
  const [minted, setMinted] = useState<MintedPat | null>(null)
  const [revoking, setRevoking] = useState<Pat | null>(null)
  const [changing, setChanging] = useState<Pat | null>(null)
  const title = useRef<HTMLHeadingElement>(null)

  useServerEvents('token.', reload)

  return (
    <>
      <h1>Tokens</h1>
      <p className="muted page-lead">
        A token lets a tool act for you: an MCP client, a script, a CI job. Give each its own, and only what it needs. A
        program cannot connect? <a href="/connect/doctor">Check the connection</a>.
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
          Your tokens
        </h2>
        {!tokens && <Loading problem={problem} retry={reload} />}
        {tokens?.length === 0 && (
          <div className="card empty">
            <p>No tokens yet.</p>
            <p className="muted">Make one above to connect Claude Code or any other MCP client.</p>
          </div>
        )}
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
          <h2 id="apps-title">Connected apps</h2>
          <p className="muted">
            You let these in from their own side. They renew their access until you end it, or until it expires.
          </p>
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

const spentWords = (spent: number, cap: number | undefined): string =>
  cap === undefined ? `${showBalance(spent)} spent` : `${showBalance(spent)} of ${showBalance(cap)} spent`

const newestFirst = (tokens: Pat[]): Pat[] =>
  [...tokens].sort((a, b) =>
    (a.status === 'active') === (b.status === 'active')
      ? b.createdAt.localeCompare(a.createdAt)
      : a.status === 'active'
        ? -1
        : 1,
  )

interface RowProps {
  token: Pat
  /** Not for a connected app without a cap, which names and renews itself. */
  onChange?: (() => void) | undefined
  onRevoke: () => void
}

function TokenRow({ token, onChange, onRevoke }: RowProps) {
  const active = token.status === 'active'
  return (
    <li className={active ? 'row' : 'row inactive'}>
      <div className="row-text">
        <p className="row-name">
          {token.name} {token.app ? <span className="muted">{token.app.host}</span> : <code>{token.tokenPrefix}…</code>}
        </p>
        <p className="muted">
          {active && `Expires ${showDay(token.expiresAt)} · `}
          {token.status === 'expired' && `Expired ${showDay(token.expiresAt)} · `}
          {token.revokedAt && `Revoked ${showDayTime(token.revokedAt)} · `}
          {token.lastUsedAt ? `last ${token.app ? 'renewed' : 'used'} ${showDayTime(token.lastUsedAt)}` : 'never used'}
          {token.spentMicros !== undefined && ` · ${spentWords(token.spentMicros, capOf(token))}`}
        </p>
        <ul className="tags" aria-label="Scopes">
          {token.scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
      </div>
      {active && (
        <div className="buttons">
          {onChange && (
            <button type="button" className="button plain" onClick={onChange}>
              Change<span className="visually-hidden"> {token.name}</span>
            </button>
          )}
          <button type="button" className="button plain" onClick={onRevoke}>
            Revoke<span className="visually-hidden"> {token.name}</span>
          </button>
        </div>
      )}
    </li>
  )
}

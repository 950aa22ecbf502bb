import { useCallback, useEffect, useRef, useState } from 'react'
import type { Pat } from '../../domain/tokens/pat.ts'
import { useChanges } from '../account.tsx'
import { api, type MintedPat, wordsOf } from '../client.ts'
import { Loading } from '../parts/notice.tsx'
import { ChangeDialog } from '../tokens/change-dialog.tsx'
import { MintForm } from '../tokens/mint-form.tsx'
import { Minted } from '../tokens/minted.tsx'
import { RevokeDialog } from '../tokens/revoke-dialog.tsx'
import { showDay, showDayTime } from '../words.ts'

export function TokensPage() {
  const [tokens, setTokens] = useState<Pat[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [minted, setMinted] = useState<MintedPat | null>(null)
  const [revoking, setRevoking] = useState<Pat | null>(null)
  const [changing, setChanging] = useState<Pat | null>(null)
  const title = useRef<HTMLHeadingElement>(null)

  const read = useCallback(() => {
    api.tokens().then(
      (answer) => {
        setTokens(answer.tokens)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [])
  useEffect(read, [read])
  useChanges('token.', read)

  return (
    <>
      <h1>Tokens</h1>
      <p className="muted page-lead">
        A token lets a tool act for you: an MCP client, a script, a CI job. Give each its own, and only what it needs.
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
            read()
          }}
        />
      )}
      <section aria-labelledby="tokens-title">
        <h2 id="tokens-title" ref={title} tabIndex={-1}>
          Your tokens
        </h2>
        {!tokens && <Loading problem={problem} retry={read} />}
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
      {changing && (
        <ChangeDialog
          token={changing}
          onClose={(token) => {
            setChanging(null)
            if (token) setMinted(token)
            read()
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
            read()
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

function TokenRow({ token, onChange, onRevoke }: { token: Pat; onChange: () => void; onRevoke: () => void }) {
  const active = token.status === 'active'
  return (
    <li className={active ? 'row' : 'row gone'}>
      <div className="row-what">
        <p className="row-name">
          {token.name} <code>{token.tokenPrefix}…</code>
        </p>
        <p className="muted">
          {active && `Expires ${showDay(token.expiresAt)} · `}
          {token.status === 'expired' && `Expired ${showDay(token.expiresAt)} · `}
          {token.revokedAt && `Revoked ${showDayTime(token.revokedAt)} · `}
          {token.lastUsedAt ? `last used ${showDayTime(token.lastUsedAt)}` : 'never used'}
        </p>
        <ul className="tags" aria-label="Scopes">
          {token.scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
      </div>
      {active && (
        <div className="buttons">
          <button type="button" className="button plain" onClick={onChange}>
            Change<span className="unseen"> {token.name}</span>
          </button>
          <button type="button" className="button plain" onClick={onRevoke}>
            Revoke<span className="unseen"> {token.name}</span>
          </button>
        </div>
      )}
    </li>
  )
}

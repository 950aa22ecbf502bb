import { useState } from 'react'
import type { Pat } from '../../domain/tokens/pat.ts'
import { Loading } from '../components/notice.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { useRead } from '../data/cache.ts'
import { Link } from '../router.tsx'
import { connectTexts } from '../texts/connect.ts'
import { RevokeDialog } from '../tokens/token-dialogs.tsx'
import { ClientCard } from './client-card.tsx'
import { type ClientId, clientIds, clientOf, isConnection } from './mcp-clients.ts'

/** No event announces the use of a token: poll, and more often while somebody is waiting for it. */
const lookMs = { waiting: 3_000, else: 10_000 }

export function ClientsPart() {
  const words = connectTexts.clients
  const { data, problem, reload } = useRead('listTokens')
  const [started, setStarted] = useState<ReadonlySet<ClientId>>(new Set())
  const [revoking, setRevoking] = useState<Pat | null>(null)
  useRepeated(reload, started.size > 0 ? lookMs.waiting : lookMs.else)
  if (!data) return <Loading problem={problem} retry={reload} />
  const connections = data.tokens.filter(isConnection)
  return (
    <>
      <p className="muted page-lead">
        {words.lead} <a href="/connect/doctor">{words.check}</a>.
      </p>
      <ul className="client-cards">
        {clientIds.map((id) => (
          <ClientCard
            key={id}
            id={id}
            connections={connections.filter((token) => clientOf(token) === id)}
            started={started.has(id)}
            onStart={() => {
              setStarted((before) => new Set(before).add(id))
              reload()
            }}
            onRevoke={setRevoking}
          />
        ))}
      </ul>
      <p>
        <Link to="/tokens">{words.all}</Link>
      </p>
      {revoking && (
        <RevokeDialog
          token={revoking}
          onClose={(revoked) => {
            setRevoking(null)
            if (revoked) reload()
          }}
        />
      )}
    </>
  )
}

import { useId, useState } from 'react'
import { countTools } from '../../domain/mcp/tool-scopes.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { connectTexts } from '../texts/connect.ts'
import { hasCalled, LastCall } from '../tokens/last-call.tsx'
import { type ClientId, callsFromAfar, clientNames, isPublic, signInWay } from './mcp-clients.ts'
import { TokenInstead } from './token-instead.tsx'
import { WayIn } from './way-in.tsx'

interface CardProps {
  id: ClientId
  /** The tokens and apps that this client uses, by its own name. */
  connections: readonly Pat[]
  /** Whether the user began to connect it on this page. */
  started: boolean
  onStart: () => void
  onRevoke: (token: Pat) => void
}

export function ClientCard({ id, connections, started, onStart, onRevoke }: CardProps) {
  const words = connectTexts.clients
  const title = useId()
  const name = id === 'other' ? words.other : clientNames[id]
  const { origin } = window.location
  const calling = connections.filter(hasCalled)
  // A client that made no calls when the page opened has connected while the user watched.
  const [before] = useState(() => new Set(calling.map((token) => token.id)))
  const arrived = calling.some((token) => !before.has(token.id))
  const state = calling.length > 0 ? 'connected' : started || connections.length > 0 ? 'waiting' : 'none'
  const unreached = callsFromAfar(id) && !isPublic(origin)
  return (
    <li className={arrived ? 'card client-card arrived' : 'card client-card'}>
      <section aria-labelledby={title}>
        <div className="card-head">
          <h2 id={title}>{name}</h2>
          <StatePill state={state} />
        </div>
        <div role="status">{arrived && <Notice tone="good">{connectTexts.state.arrived(name)}</Notice>}</div>
        {connections.length > 0 && (
          <ul className="connections">
            {connections.map((token) => (
              <Connection key={token.id} token={token} onRevoke={() => onRevoke(token)} />
            ))}
          </ul>
        )}
        {unreached ? (
          <p className="muted">{words.notReached(name)}</p>
        ) : (
          <>
            <p className="muted">{id === 'other' ? words.otherHint : words.hints[id]}</p>
            <WayIn id={id} way={signInWay(id, origin)} onStart={onStart} />
            {!callsFromAfar(id) && <TokenInstead id={id} origin={origin} onStart={onStart} />}
          </>
        )}
      </section>
    </li>
  )
}

function StatePill({ state }: { state: 'none' | 'waiting' | 'connected' }) {
  const look = { none: 'pill', waiting: 'pill busy', connected: 'pill good' }[state]
  return (
    <span className={look}>
      {state !== 'none' && <span className="dot" />}
      {connectTexts.state[state]}
    </span>
  )
}

function Connection({ token, onRevoke }: { token: Pat; onRevoke: () => void }) {
  const words = connectTexts.state
  return (
    <li>
      <p>
        <bdi>{token.name}</bdi>
        <span className="muted">
          {words.tools(countTools(token.scopes))} · <LastCall token={token} />
        </span>
      </p>
      <Button of={token.name} onClick={onRevoke}>
        {words.revoke}
      </Button>
    </li>
  )
}

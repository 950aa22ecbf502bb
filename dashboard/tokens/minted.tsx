import { useEffect, useRef } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'

/** The one time a new token can be seen, with the lines that put it to use. */
export function Minted({ token, onDone }: { token: MintedPat; onDone: () => void }) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const { origin } = window.location
  const header = `"Authorization: Bearer ${token.plaintext}"`
  const tools = token.scopes.some((scope) => scope.startsWith('mcp:'))
  return (
    <section className="card" aria-labelledby="minted-title">
      <h2 id="minted-title" ref={title} tabIndex={-1}>
        “{token.name}” is ready
      </h2>
      <Notice tone="info">Copy the token now. It is shown this once, and only its fingerprint is stored.</Notice>
      <CopyLine label="Token" text={token.plaintext} />
      {tools && (
        <CopyLine
          label="Claude Code command"
          text={`claude mcp add --transport http berth ${origin}/api/mcp-token --header ${header}`}
        />
      )}
      <CopyLine label="Curl command" text={`curl ${origin}/api/instance/status -H ${header}`} />
      <Button onClick={onDone}>I have stored it</Button>
    </section>
  )
}

import { useEffect, useRef } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'
import { tokenTexts } from '../texts/tokens.ts'

export function Minted({ token, onDone }: { token: MintedPat; onDone: () => void }) {
  const words = tokenTexts.minted
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const { origin } = window.location
  const header = `"Authorization: Bearer ${token.plaintext}"`
  const tools = token.scopes.some((scope) => scope.startsWith('mcp:'))
  const curled = token.scopes.every(spends) ? '/v1/models' : '/api/instance/status'
  return (
    <section className="card" aria-labelledby="minted-title">
      <h2 id="minted-title" ref={title} tabIndex={-1}>
        {words.title(token.name)}
      </h2>
      <Notice tone="info">{words.once}</Notice>
      <CopyLine label={words.token} text={token.plaintext} />
      {tools && (
        <CopyLine
          label={words.claude}
          text={`claude mcp add --transport http berth ${origin}/api/mcp-token --header ${header}`}
        />
      )}
      {token.scopes.includes('api:llm') && <ModelLines origin={origin} plaintext={token.plaintext} />}
      <CopyLine label={words.curl} text={`curl ${origin}${curled} -H ${header}`} />
      <Button onClick={onDone}>{words.stored}</Button>
    </section>
  )
}

/** How programs on this computer call models with the token. */
function ModelLines({ origin, plaintext }: { origin: string; plaintext: string }) {
  const words = tokenTexts.minted
  const provider = `model_providers.berth={name="Berth",base_url="${origin}/v1",env_key="BERTH_TOKEN",wire_api="responses"}`
  return (
    <>
      <CopyLine
        label={words.claudeModels}
        text={`ANTHROPIC_BASE_URL=${origin} ANTHROPIC_AUTH_TOKEN=${plaintext} claude`}
      />
      <CopyLine
        label={words.codexModels}
        text={`BERTH_TOKEN=${plaintext} codex -c model_provider=berth -c '${provider}'`}
      />
      <CopyLine label={words.openai} text={`OPENAI_BASE_URL=${origin}/v1 OPENAI_API_KEY=${plaintext}`} />
    </>
  )
}

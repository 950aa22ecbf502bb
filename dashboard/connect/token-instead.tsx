import { useState } from 'react'
import { countTools, readScopes } from '../../domain/mcp/tool-scopes.ts'
import type { Scope } from '../../domain/scopes.ts'
import { Button } from '../components/button.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { connectTexts } from '../texts/connect.ts'
import { type ClientId, clientNames, tokenWay } from './mcp-clients.ts'
import { WayIn } from './way-in.tsx'

/** The least first. */
const choices = { read: readScopes, all: ['mcp:*'] } as const satisfies Record<string, readonly Scope[]>
type Choice = keyof typeof choices
const allChoices = ['read', 'all'] as const satisfies readonly Choice[]

const lifeDays = 90

export function TokenInstead({ id, origin, onStart }: { id: ClientId; origin: string; onStart: () => void }) {
  const words = connectTexts.token
  const [choice, setChoice] = useState<Choice>('read')
  const [token, setToken] = useState<string | null>(null)
  const mint = useAction(async () => {
    const name = id === 'other' ? 'MCP client' : clientNames[id]
    const { plaintext } = await berth.mintToken({ name, scopes: [...choices[choice]], expiresInDays: lifeDays })
    setToken(plaintext)
    onStart()
  })
  const way = token === null ? null : tokenWay(id, origin, token)
  return (
    <details className="token-instead">
      <summary>{words.instead}</summary>
      {way ? (
        <>
          <Notice tone="info">{words.once}</Notice>
          <WayIn id={id} way={way} onStart={onStart} />
          <Button onClick={() => setToken(null)}>{words.done}</Button>
        </>
      ) : (
        <>
          <p className="muted">{words.insteadHint}</p>
          <fieldset>
            <legend>{words.mayDo}</legend>
            {allChoices.map((each) => (
              <label key={each}>
                <input type="radio" name={`may-${id}`} checked={choice === each} onChange={() => setChoice(each)} />
                {words[each](countTools(choices[each]))}
              </label>
            ))}
          </fieldset>
          <Problem text={mint.problem} />
          <Button busy={mint.busy} onClick={() => mint.run()}>
            {words.make}
          </Button>
        </>
      )}
    </details>
  )
}

import { CopyLine } from '../components/copy-line.tsx'
import { connectTexts } from '../texts/connect.ts'
import { type ClientId, clientNames, type Way } from './mcp-clients.ts'

export function WayIn({ id, way, onStart }: { id: ClientId; way: Way; onStart: () => void }) {
  const words = connectTexts.clients
  const name = id === 'other' ? words.other : clientNames[id]
  const label = way.text?.startsWith('{') ? words.settings : way.text?.startsWith('http') ? words.address : words.line
  const isPage = way.href?.startsWith('https:')
  return (
    <>
      {way.text && <CopyLine label={label} text={way.text} onCopy={onStart} />}
      {way.href && (
        <p>
          <a
            className="button primary"
            href={way.href}
            {...(isPage && { target: '_blank', rel: 'noreferrer' })}
            onClick={onStart}
          >
            {id === 'chatgpt' ? words.open(name) : words.add(name)}
          </a>
        </p>
      )}
    </>
  )
}

import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { Button } from '../components/button.tsx'
import { showDay, showDayTime } from '../format.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { spentWords } from './cap.ts'
import { LastCall } from './last-call.tsx'

interface RowProps {
  token: Pat
  /** Missing for a connected app without a cap, which names and renews itself. */
  onChange?: (() => void) | undefined
  onRevoke: () => void
}

export function TokenRow({ token, onChange, onRevoke }: RowProps) {
  const words = tokenTexts.row
  const active = token.status === 'active'
  const facts = [
    active && words.expires(showDay(token.expiresAt)),
    token.status === 'expired' && words.expired(showDay(token.expiresAt)),
    token.revokedAt && words.revoked(showDayTime(token.revokedAt)),
    ...spentWords(token),
  ].filter(Boolean)
  return (
    <li className={active ? 'row' : 'row inactive'}>
      <div className="row-text">
        <p className="row-name">
          <bdi>{token.name}</bdi>{' '}
          {token.app ? <span className="muted">{token.app.host}</span> : <code>{token.tokenPrefix}…</code>}
        </p>
        <p className="muted">
          {facts.join(' · ')} · <LastCall token={token} />
        </p>
        <ul className="tags" aria-label={words.scopes}>
          {token.scopes.map((scope) => (
            <li key={scope}>
              {scopeLabels[scope]} <code>{scope}</code>
            </li>
          ))}
        </ul>
      </div>
      {active && (
        <div className="buttons">
          {onChange && (
            <Button of={token.name} onClick={onChange}>
              {words.change}
            </Button>
          )}
          <Button of={token.name} onClick={onRevoke}>
            {words.revoke}
          </Button>
        </div>
      )}
    </li>
  )
}

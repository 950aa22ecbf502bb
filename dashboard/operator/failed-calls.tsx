import type { UserOverview } from '../../clients/typescript/operations.ts'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'

type Call = UserOverview['failedCalls'][number]

export function FailedCalls({ calls }: { calls: readonly Call[] }) {
  if (calls.length === 0) return <p className="muted">{words.failedCalls.none}</p>
  const groups = Map.groupBy(calls, ({ provider, reason }) => `${provider} ${reason}`)
  return (
    <>
      <ul className="card rows">
        {[...groups].map(([name, alike]) => {
          const [{ provider, reason } = calls[0] as Call] = alike // safe because there is a call
          return (
            <li key={name} className="row">
              <div className="row-text">
                <p className="row-name">
                  {words.failedCalls.times(alike.length)} {provider} <code>{reason}</code>
                </p>
                <p className="muted">{words.failedCalls.reasons[reason]}</p>
              </div>
            </li>
          )
        })}
      </ul>
      <details>
        <summary>{words.failedCalls.each}</summary>
        <ul className="card rows">
          {calls.map(({ callId, at, model, reason }) => (
            <li key={callId} className="row">
              <div className="row-text">
                <p className="row-name">
                  {model} <code>{reason}</code>
                </p>
                <p className="muted">
                  {showDayTime(at)} · <code>{callId}</code>
                </p>
              </div>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

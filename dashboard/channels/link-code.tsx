import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'
import { inGroups, showSecondsLeft } from './code-text.ts'

interface Props {
  code: string
  /** ms since 1970, by this computer's clock. */
  untilMs: number
  busy: boolean
  renew: () => void
}

/** The code to send, for as long as it is good. */
export function LinkCode({ code, untilMs, busy, renew }: Props) {
  const seconds = useSecondsUntil(untilMs)
  return (
    <>
      {seconds > 0 ? (
        <CopyLine label="Code" text={inGroups(code)} large />
      ) : (
        <Notice tone="info">The code has expired. Get a new one.</Notice>
      )}
      <div className="link-code-foot">
        {seconds > 0 && (
          <p className="hint">
            Good once, for <span role="timer">{showSecondsLeft(seconds)}</span>
          </p>
        )}
        <Button busy={busy} onClick={renew}>
          New code
        </Button>
      </div>
    </>
  )
}

function useSecondsUntil(untilMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [untilMs])
  return Math.max(0, Math.ceil((untilMs - now) / 1_000))
}

import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'
import { channelTexts } from '../texts/channels.ts'
import { inGroups, showSecondsLeft } from './code-text.ts'

const words = channelTexts.link

interface Props {
  code: string
  /** ms since 1970, by this computer's clock. */
  untilMs: number
  busy: boolean
  renew: () => void
}

export function LinkCode({ code, untilMs, busy, renew }: Props) {
  const seconds = useSecondsUntil(untilMs)
  return (
    <>
      {seconds > 0 ? (
        <CopyLine label={words.code} text={inGroups(code)} large />
      ) : (
        <Notice tone="info">{words.expired}</Notice>
      )}
      <div className="link-code-foot">
        {seconds > 0 && <p className="hint">{words.goodFor(<span role="timer">{showSecondsLeft(seconds)}</span>)}</p>}
        <Button busy={busy} onClick={renew}>
          {words.newCode}
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

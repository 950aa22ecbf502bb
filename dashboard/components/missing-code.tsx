import { useCallback, useEffect, useState } from 'react'
import { texts } from '../texts/index.ts'
import { Loading, Notice } from './notice.tsx'

const checkMs = 5_000

/** False without a connection, and while the service cannot answer. */
const isReachable = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Stands for a part whose code could not be loaded. Without a connection, the page reloads once the service answers,
 * and not before: a reload would lose the pages that are loaded. Otherwise a newer deployment has replaced the code.
 */
export function MissingCode() {
  const [state, setState] = useState<'unknown' | 'unreachable' | 'replaced'>('unknown')
  const check = useCallback(async (wasUnreachable: boolean) => {
    const isThere = await isReachable()
    if (isThere && wasUnreachable) window.location.reload()
    else setState(isThere ? 'replaced' : 'unreachable')
  }, [])
  useEffect(() => void check(false), [check])
  useEffect(() => {
    if (state !== 'unreachable') return
    const again = () => void check(true)
    const timer = setInterval(again, checkMs)
    window.addEventListener('online', again)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', again)
    }
  }, [state, check])
  if (state === 'unknown') return <Loading problem={null} retry={() => {}} />
  if (state === 'unreachable')
    return (
      <Notice tone="bad" action={{ label: texts.common.tryAgain, run: () => void check(true) }}>
        {texts.common.notLoaded}
      </Notice>
    )
  return (
    <Notice tone="bad" action={{ label: texts.common.reload, run: () => window.location.reload() }}>
      {texts.common.newVersion}
    </Notice>
  )
}

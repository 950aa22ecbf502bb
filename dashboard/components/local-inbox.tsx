import { isLocal } from '../local.ts'
import { texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

/** Links to the e-mails of a local service, which sends none; nothing elsewhere. @param to only those to this address */
export function LocalInbox({ to }: { to?: string }) {
  if (!isLocal()) return null
  return (
    <Notice tone="info">
      <a href={`/local/mail${to ? `?to=${encodeURIComponent(to)}` : ''}`} target="_blank" rel="noreferrer">
        {texts.common.localInbox}
      </a>
    </Notice>
  )
}

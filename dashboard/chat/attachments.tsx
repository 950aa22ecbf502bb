import { useEffect, useRef, useState } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { isImage } from '../../domain/chat/attachment-limits.ts'
import { FileIcon } from '../components/icons.tsx'
import { berth, errorText } from '../data/client.ts'
import { showSize } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'

export function Attachments({ all }: { all: readonly Attachment[] }) {
  if (all.length === 0) return null
  return (
    <ul className="attachments" aria-label={texts.chat.files.attached}>
      {all.map((attachment) => (
        <li key={attachment.id}>
          {isImage(attachment) ? <AttachedImage attachment={attachment} /> : <AttachedFile attachment={attachment} />}
        </li>
      ))}
    </ul>
  )
}

/** Signed addresses by attachment, and their expiry. */
const addresses = new Map<string, { url: string; untilMs: number }>()

/** An address is not used in its last minute. */
const spareMs = 60_000

async function addressOf({ id }: Attachment): Promise<string> {
  const known = addresses.get(id)
  if (known && known.untilMs > Date.now()) return known.url
  const { url, expiresAt } = await berth.getAttachment({ id })
  addresses.set(id, { url, untilMs: Date.parse(expiresAt) - spareMs })
  return url
}

function AttachedImage({ attachment }: { attachment: Attachment }) {
  const frame = useRef<HTMLSpanElement>(null)
  const [url, setUrl] = useState<string | null>(null)
  const [gone, setGone] = useState(false)
  useEffect(() => {
    if (!frame.current) return
    // In a long conversation, only visible attachments are requested.
    const sight = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        sight.disconnect()
        addressOf(attachment).then(setUrl, () => setGone(true))
      },
      { rootMargin: '200px' },
    )
    sight.observe(frame.current)
    return () => sight.disconnect()
  }, [attachment])
  const { name } = attachment
  if (gone) return <p className="attached-file gone">{texts.chat.files.gone(clean(name))}</p>
  return (
    <span ref={frame} className="attached-image">
      {url && (
        <a href={url} target="_blank" rel="noopener noreferrer" aria-label={texts.chat.files.open(clean(name))}>
          <img src={url} alt={clean(name)} onError={() => setGone(true)} />
        </a>
      )}
    </span>
  )
}

function AttachedFile({ attachment }: { attachment: Attachment }) {
  const [problem, setProblem] = useState<string | null>(null)
  const { name, bytes } = attachment
  const save = () => {
    setProblem(null)
    // The answer is a download, so the page stays.
    addressOf(attachment).then(
      (url) => window.location.assign(url),
      (thrown) => setProblem(errorText(thrown)),
    )
  }
  return (
    <>
      <button type="button" className="attached-file" onClick={save}>
        <FileIcon />
        <span>
          <span className="visually-hidden">{texts.chat.files.save} </span>
          <span className="draft-name">{clean(name)}</span>
        </span>
        <span className="draft-note">{showSize(bytes)}</span>
      </button>
      {problem && (
        <p className="message-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

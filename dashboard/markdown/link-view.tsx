import { type ReactNode, useState } from 'react'
import { filePath } from '../data/operations.ts'
import { texts } from '../texts/index.ts'
import { safeLink, volumePathOf } from './links.ts'

/** A link that shows its target; without a web address only its text. */
export function WebLink({ href, text, children }: { href: string; text: string; children: ReactNode }) {
  const link = safeLink(href, text)
  if (!link) return children
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {link.host && (
        <>
          {' '}
          <bdi className="link-host">({link.host})</bdi>
        </>
      )}
    </a>
  )
}

/** An image of the agent's volume. Any other is a link, because its host would learn who reads this. */
export function ImageLink({ href, text }: { href: string; text: string }) {
  const path = volumePathOf(href)
  const [broken, setBroken] = useState(false)
  if (path === null)
    return (
      <WebLink href={href} text="">
        {text || texts.chat.markdown.image}
      </WebLink>
    )
  if (broken)
    return (
      <span className="muted">
        {texts.chat.markdown.notShown} {path}
      </span>
    )
  return (
    <img
      className="volume-image"
      src={filePath(path, null)}
      alt={text || path}
      loading="lazy"
      onError={() => setBroken(true)}
    />
  )
}

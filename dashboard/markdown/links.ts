import { clean } from './clean.ts'

interface SafeLink {
  href: string
  /** The link's target, shown next to a text that does not contain it; null if the text does. */
  host: string | null
}

const schemes = ['http:', 'https:', 'mailto:']

/** Null for anything but an address of the web or a mailbox. */
export function safeLink(href: string, text: string): SafeLink | null {
  const url = URL.parse(clean(href))
  if (!url || !schemes.includes(url.protocol)) return null
  const host = url.protocol === 'mailto:' ? url.pathname : url.host
  // The part before an @ could be mistaken for the host.
  const plain = url.username === '' && url.password === ''
  url.username = ''
  url.password = ''
  return { href: url.href, host: plain && says(text, host) ? null : host }
}

/** Whether a text names this host, and no other. */
function says(text: string, host: string): boolean {
  const said = text.trim()
  const named = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(said) ? said : `https://${said}`)
  return named !== null && !/\s/.test(said) && (named.host === host || said === host)
}

/** The volume path of an agent's image; null for any other image. */
export function volumePathOf(href: string): string | null {
  const [, path] = /^\.?\/?files\/([^?#\\]+)$/.exec(href) ?? []
  if (!path) return null
  const parts = path.split('/').map(decoded)
  return parts.some((part) => part === null || ['', '.', '..'].includes(part) || part.includes('/'))
    ? null
    : parts.join('/')
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

import { Fragment, memo, type ReactNode } from 'react'
import { Boundary } from './boundary.tsx'

/**
 * The Markdown that agents write most, as elements: paragraphs, headings, lists, quotes, code, emphasis, links.
 * No HTML is ever taken from the text, links go to http(s) only, and images are never loaded.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      <Boundary fallback={plain(text)}>
        <Blocks text={text} />
      </Boundary>
    </div>
  )
}

function Blocks({ text }: { text: string }) {
  return blocks(text.replaceAll('\r\n', '\n'), 0)
}

/** Quotes within quotes, and characters of one paragraph, beyond which a text is shown as it is. */
const maxDepth = 8
const maxSpanned = 10_000

const plain = (text: string) => <p className="plain-text">{String(text)}</p>

const fence = /^\s*(```|~~~)/
const bullet = /^\s*[-*+]\s+(.*)$/
const numbered = /^\s*\d{1,9}[.)]\s+(.*)$/
const heading = /^(#{1,6})\s+(.*)$/
const quote = /^>\s?(.*)$/
const rule = /^\s*([-*_])(\s*\1){2,}\s*$/

function blocks(text: string, depth: number): ReactNode[] {
  if (depth > maxDepth) return [<Fragment key={0}>{plain(text)}</Fragment>]
  const lines = text.split('\n')
  const made: ReactNode[] = []
  let at = 0
  const put = (node: ReactNode) => made.push(<Fragment key={made.length}>{node}</Fragment>)
  /** Takes lines while they match, and answers the part that the pattern keeps. */
  const take = (pattern: RegExp): string[] => {
    const taken: string[] = []
    for (let found = pattern.exec(lines[at] ?? ''); found; found = pattern.exec(lines[at] ?? '')) {
      taken.push(found[1] ?? '')
      at++
      if (at >= lines.length) break
    }
    return taken
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const title = heading.exec(line)
    if (line.trim() === '') at++
    else if (fence.test(line)) {
      const end = lines.findIndex((line, index) => index > at && fence.test(line))
      const code = lines.slice(at + 1, end < 0 ? lines.length : end).join('\n')
      put(codeBlock(code))
      at = end < 0 ? lines.length : end + 1
    } else if (rule.test(line)) {
      put(<hr />)
      at++
    } else if (title) {
      put(
        <p className="prose-title">
          <Spans text={title[2] ?? ''} />
        </p>,
      )
      at++
    } else if (bullet.test(line)) put(<ul>{items(take(bullet))}</ul>)
    else if (numbered.test(line)) put(<ol start={Number.parseInt(line, 10) || 1}>{items(take(numbered))}</ol>)
    else if (quote.test(line)) put(<blockquote>{blocks(take(quote).join('\n'), depth + 1)}</blockquote>)
    else
      put(
        <p>
          <Spans text={paragraph()} />
        </p>,
      )
  }
  return made

  function paragraph(): string {
    const from = at
    const starts = [fence, bullet, numbered, heading, quote]
    do at++
    while (at < lines.length && lines[at]?.trim() !== '' && !starts.some((start) => start.test(lines[at] ?? '')))
    return lines.slice(from, at).join('\n')
  }
}

/** Wide code scrolls, so it has to be reachable by keyboard. */
const codeBlock = (code: string) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys
  <pre tabIndex={0}>
    <code>{code}</code>
  </pre>
)

const items = (texts: string[]): ReactNode[] =>
  texts.map((text, index) => (
    <li key={index}>
      <Spans text={text} />
    </li>
  ))

const span =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(?!\s)([^*\n]+?)\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/gs

/** Of a text that grows only the end is read anew. */
const Spans = memo(({ text }: { text: string }) => spans(text))

function spans(text: string): ReactNode[] {
  if (text.length > maxSpanned) return [text]
  const made: ReactNode[] = []
  let from = 0
  for (const found of text.matchAll(span)) {
    const [whole, , code, strong, emphasis, label, target, bare] = found
    if (found.index > from) made.push(text.slice(from, found.index))
    const key = found.index
    if (code !== undefined) made.push(<code key={key}>{code}</code>)
    else if (strong !== undefined) made.push(<strong key={key}>{strong}</strong>)
    else if (emphasis !== undefined) made.push(<em key={key}>{emphasis}</em>)
    else made.push(link(key, target ?? bare ?? '', label ?? bare ?? ''))
    from = found.index + whole.length
  }
  if (from < text.length) made.push(text.slice(from))
  return made
}

const link = (key: number, target: string, label: string) => (
  <a key={key} href={target} target="_blank" rel="noopener noreferrer nofollow">
    {label}
  </a>
)

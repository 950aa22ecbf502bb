import { lazy, memo, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Boundary } from '../components/boundary.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { showCount } from '../format.ts'
import { texts } from '../texts/index.ts'
import type { Piece } from './highlight.ts'

const Diagram = lazy(async () => ({ default: (await import('./diagram.tsx')).Diagram }))

/** Longest text that is drawn as a diagram, characters. */
const mostDrawn = 20_000

/** Lines shown at first, and maximum characters that are coloured. */
const shownLines = 200
const mostColoured = 20_000
const mostPieces = 3_000

/** Lines laid out together: while code grows, only the last group is laid out again. */
const linesTogether = 40

interface CodeBlockProps {
  code: string
  /** The author's name of the language; may be empty. */
  language: string
  growing?: boolean
}

export function CodeBlock({ code, language, growing = false }: CodeBlockProps) {
  const [wrapped, setWrapped] = useState(false)
  const [whole, setWhole] = useState(false)
  const name = /^[\w+#.-]{1,24}/.exec(language)?.[0].toLowerCase() ?? ''
  const lines = code.split('\n')
  const cut = !growing && !whole && lines.length > shownLines
  const shown = cut ? lines.slice(0, shownLines) : lines
  const pieces = usePieces(shown.join('\n'), growing ? '' : name)
  const isDiagram = name === 'mermaid' && !growing && code.length <= mostDrawn
  const source = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys
    <pre tabIndex={0} className={wrapped ? 'wrapped' : undefined}>
      <code>{pieces ? coloured(pieces) : grouped(shown)}</code>
    </pre>
  )
  return (
    <div className="code-block">
      <div className="code-bar">
        <span className="code-language">{name || texts.chat.markdown.code}</span>
        <button
          type="button"
          className="link-button"
          data-reads
          aria-pressed={wrapped}
          onClick={() => setWrapped(!wrapped)}
        >
          {texts.chat.markdown.wrap}
        </button>
        <CopyButton text={code} />
      </div>
      {isDiagram ? (
        <Boundary fallback={source}>
          <Suspense fallback={source}>
            <Diagram text={code}>{source}</Diagram>
          </Suspense>
        </Boundary>
      ) : (
        source
      )}
      {cut && (
        <button type="button" className="link-button code-all" data-reads onClick={() => setWhole(true)}>
          {texts.chat.markdown.showAllLines(showCount(lines.length))}
        </button>
      )}
    </div>
  )
}

function usePieces(code: string, language: string): Piece[] | null {
  const [pieces, setPieces] = useState<{ code: string; all: Piece[] | null } | null>(null)
  useEffect(() => {
    if (language === '' || code.length > mostColoured) return
    let isCurrent = true
    import('./highlight.ts').then(
      ({ piecesOf }) => isCurrent && setPieces({ code, all: piecesOf(code, language) }),
      () => {}, // It is read without colours.
    )
    return () => {
      isCurrent = false
    }
  }, [code, language])
  const all = pieces?.code === code ? pieces.all : null
  return all && all.length <= mostPieces ? all : null
}

const coloured = (pieces: Piece[]): ReactNode[] =>
  pieces.map(({ text, name }, at) =>
    name === '' ? (
      text
    ) : (
      <span key={at} className={name}>
        {text}
      </span>
    ),
  )

function grouped(lines: readonly string[]): ReactNode {
  if (lines.length <= linesTogether) return lines.join('\n')
  const groups: string[] = []
  for (let at = 0; at < lines.length; at += linesTogether)
    groups.push(`${lines.slice(at, at + linesTogether).join('\n')}\n`)
  return groups.map((text, at) => <Lines key={at} text={text} />)
}

const Lines = memo(({ text }: { text: string }) => <span className="code-lines">{text}</span>)

import { memo, type ReactNode, useId, useState } from 'react'
import { readFolding } from '../../domain/markdown/lexer.ts'
import { showCount } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { elementsOf } from '../markdown/elements.tsx'
import { TextId } from '../markdown/footnotes.tsx'
import { type GrowingBlocks, grown, noBlocks } from '../markdown/growing-blocks.ts'
import { texts } from '../texts/index.ts'
import { Boundary } from './boundary.tsx'

/** Characters shown at first. */
const mostShown = 20_000

/** An agent's text: CommonMark with GitHub's extensions, footnotes and formulas; never HTML. */
export function Markdown({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > mostShown
  return (
    <Prose text={text}>
      <Whole text={cut ? beginningOf(text) : text} />
      {cut && (
        <button type="button" className="link-button" data-reads onClick={() => setWhole(true)}>
          {texts.chat.markdown.showAll(showCount(text.length))}
        </button>
      )}
    </Prose>
  )
}

/** Parses only the last block again while the text grows. */
export const GrowingMarkdown = ({ text }: { text: string }) => (
  <Prose text={text}>
    <Growing text={text.includes('\r') ? clean(text) : text} />
  </Prose>
)

function Prose({ text, children }: { text: string; children: ReactNode }) {
  const id = useId()
  return (
    <TextId value={id}>
      <div className="prose">
        <Boundary fallback={<p className="plain-text">{clean(text)}</p>}>{children}</Boundary>
      </div>
    </TextId>
  )
}

const Whole = memo(({ text }: { text: string }) => elementsOf(readFolding(clean(text))))

/** Beyond so many parts, growing text is shown as plain text. */
const mostParts = 64

/** Parts this far from the end are out of sight for a reader at the end, even on the largest screens. */
const farParts = 4

function Growing({ text }: { text: string }) {
  const [blocks, setBlocks] = useState<GrowingBlocks>(noBlocks)
  const now = grown(blocks, text)
  if (now !== blocks) setBlocks(now)
  const more = now.done.slice(mostParts).flat().join('\n\n')
  return (
    <>
      {now.done.slice(0, mostParts).map((blocks, at) => (
        <Part key={at} blocks={blocks} isFar={at < now.done.length - farParts} />
      ))}
      {more !== '' && <p className="plain-text">{clean(more)}</p>}
      <Last key={now.done.flat().length} text={now.rest} />
    </>
  )
}

/** Finished blocks: far from the end they cost nothing while out of sight. */
const Part = memo(({ blocks, isFar }: { blocks: readonly string[]; isFar: boolean }) => (
  <div className={isFar ? 'prose-part far' : 'prose-part'}>
    {blocks.map((text, at) => (
      <Whole key={at} text={text} />
    ))}
  </div>
))

/** A longer block is shown as plain text until it ends: parsing it for each word would take too long. */
const mostReread = 6_000

function Last({ text }: { text: string }) {
  if (text.length > mostReread && !/^ {0,3}(?:```|~~~)/.test(text)) return <p className="plain-text">{clean(text)}</p>
  return elementsOf(readFolding(clean(text)), true)
}

function beginningOf(text: string): string {
  const end = text.lastIndexOf('\n', mostShown)
  return text.slice(0, end > mostShown / 2 ? end : mostShown).replace(/[\ud800-\udbff]$/, '')
}

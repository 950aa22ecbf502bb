import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Loading } from '../components/notice.tsx'
import { SourceText } from '../components/source-text.tsx'
import { showCount } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { imageType, previewKind, rowsOf } from './preview-kind.ts'
import { textOf } from './volume.ts'

/** Larger files are not shown, bytes. */
const most = { image: 20_000_000, pdf: 20_000_000, text: 500_000, styled: 200_000 }
const table = { rows: 200, columns: 50 }

const PdfPreview = lazy(async () => ({ default: (await import('./pdf-preview.tsx')).PdfPreview }))

/** A preview in which nothing runs: images and pages of a PDF are pictures, everything else is text. */
export function Preview({ name, bytes }: { name: string; bytes: Uint8Array<ArrayBuffer> }) {
  const kind = previewKind(name)
  const t = filesTexts
  if (kind === 'pdf' && bytes.length <= most.pdf)
    return (
      <Suspense fallback={<Loading problem={null} retry={() => {}} />}>
        <PdfPreview bytes={bytes} />
      </Suspense>
    )
  if (kind === 'image' && bytes.length <= most.image) return <Image name={name} bytes={bytes} />
  if (bytes.length > most.text) return <p className="muted">{t.previewTooLarge}</p>
  const text = textOf(bytes)
  if (text === null) return <p className="muted">{t.noPreview}</p>
  if (text === '') return <p className="muted">—</p>
  if (bytes.length > most.styled || (kind !== 'markdown' && kind !== 'table'))
    return <SourceText label={t.editorLabel(name)} text={text} />
  return <Styled name={name} text={text} kind={kind} />
}

function Styled({ name, text, kind }: { name: string; text: string; kind: 'markdown' | 'table' }) {
  const [asText, setAsText] = useState(false)
  const t = filesTexts
  return (
    <>
      <p>
        <Button onClick={() => setAsText(!asText)}>{asText ? t.asShown : t.asText}</Button>
      </p>
      {asText ? (
        <SourceText label={t.editorLabel(name)} text={text} />
      ) : kind === 'markdown' ? (
        <Markdown text={text} />
      ) : (
        <Table name={name} text={text} />
      )}
    </>
  )
}

function Image({ name, bytes }: { name: string; bytes: Uint8Array<ArrayBuffer> }) {
  const type = imageType(name) ?? ''
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    // A browser opens the `data:` address of an SVG only in an image; a `blob:` one would be a page of this origin.
    if (type === 'image/svg+xml') return setUrl(`data:${type},${encodeURIComponent(textOf(bytes) ?? '')}`)
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return url && <img className="file-image" src={url} alt={name} />
}

function Table({ name, text }: { name: string; text: string }) {
  const { rows, isWhole } = rowsOf(text, table)
  const [head = [], ...body] = rows
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys */}
      <section className="file-text" tabIndex={0} aria-label={filesTexts.editorLabel(name)}>
        <table>
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index} scope="col" dir="auto">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column} dir="auto">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {!isWhole && <p className="muted">{filesTexts.moreRows(showCount(rows.length))}</p>}
    </>
  )
}

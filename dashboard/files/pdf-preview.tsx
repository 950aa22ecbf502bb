import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { showCount } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { openPdf, type Pdf, type PdfProblem, PdfRefused } from './pdf-document.ts'

/** Pages drawn at first, and at most. */
const atOnce = 5
const mostPages = 100

const problemOf = (thrown: unknown): PdfProblem => (thrown instanceof PdfRefused ? thrown.problem : 'broken')

/** The pages as pictures, with their text for screen readers. */
export function PdfPreview({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) {
  const [pdf, setPdf] = useState<Pdf | null>(null)
  const [problem, setProblem] = useState<PdfProblem | null>(null)
  const [shown, setShown] = useState(atOnce)
  const t = filesTexts

  useEffect(() => {
    let opened: Pdf | null = null
    let isLeft = false
    openPdf(bytes).then(
      (now) => {
        opened = now
        if (isLeft) now.close()
        else setPdf(now)
      },
      (thrown) => setProblem(problemOf(thrown)),
    )
    return () => {
      isLeft = true
      opened?.close()
      setPdf(null)
    }
  }, [bytes])

  if (problem) return <p className="muted">{{ broken: t.pdfBroken, locked: t.pdfLocked, slow: t.pdfSlow }[problem]}</p>
  if (!pdf) return <Loading problem={null} retry={() => {}} />
  // A worker that hangs on one page is ended with all of them.
  const fail = (thrown: unknown) => {
    pdf.close()
    setProblem(problemOf(thrown))
  }
  const pages = Math.min(pdf.pages, shown)
  const left = Math.min(pdf.pages, mostPages) - pages
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys */}
      <section className="pdf-pages" tabIndex={0} aria-label={t.asShown}>
        {Array.from({ length: pages }, (_, index) => (
          <Page key={index} pdf={pdf} number={index + 1} onProblem={fail} />
        ))}
      </section>
      {left > 0 && (
        <p>
          <Button onClick={() => setShown(Math.min(shown + atOnce * 2, mostPages))}>
            {t.morePages(showCount(left))}
          </Button>
        </p>
      )}
      {left === 0 && pdf.pages > mostPages && <p className="muted">{t.pagesLeft(showCount(mostPages))}</p>}
    </>
  )
}

function Page({ pdf, number, onProblem }: { pdf: Pdf; number: number; onProblem: (thrown: unknown) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [written, setWritten] = useState('')
  const report = useRef(onProblem)
  useEffect(() => {
    let isLeft = false
    if (canvas.current)
      pdf.draw(number, canvas.current).then(
        (text) => !isLeft && setWritten(text),
        (thrown) => !isLeft && report.current(thrown),
      )
    return () => {
      isLeft = true
    }
  }, [pdf, number])
  return (
    <figure className="pdf-page">
      <canvas ref={canvas} role="img" aria-label={filesTexts.page(showCount(number), showCount(pdf.pages))} />
      <p className="visually-hidden">{written}</p>
    </figure>
  )
}

/** Reads a PDF in its own worker, which can be stopped: nothing in the file runs, nothing is fetched for it. */
import { getDocument, PDFWorker, type RenderTask } from 'pdfjs-dist'
import { cut } from '../../domain/text.ts'

/** Time limit of a file or a page, ms. */
const mostMs = 15_000

/** Maximum pixels of a drawn page, and of an image in it. */
const mostWidth = 1_600
const mostHeight = 4_000
const mostImagePixels = 16_000_000

/** Characters of a page for screen readers. */
const mostText = 20_000

export type PdfProblem = 'broken' | 'locked' | 'slow'

export class PdfRefused extends Error {
  readonly problem: PdfProblem
  constructor(problem: PdfProblem) {
    super(problem)
    this.problem = problem
  }
}

export interface Pdf {
  pages: number
  /** Draws a page. @returns its text @throws PdfRefused */
  draw(page: number, canvas: HTMLCanvasElement): Promise<string>
  close(): void
}

/** @throws PdfRefused */
export async function openPdf(bytes: Uint8Array<ArrayBuffer>): Promise<Pdf> {
  const port = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  const loading = getDocument({
    // PDF.js transfers the buffer, so it gets a copy.
    data: bytes.slice(),
    worker: PDFWorker.create({ port }),
    maxImageSize: mostImagePixels,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    verbosity: 0,
  })
  const close = () => {
    void loading.destroy().catch(() => {})
    port.terminate()
  }
  try {
    const document = await within(loading.promise)
    return { pages: document.numPages, draw, close }

    async function draw(number: number, canvas: HTMLCanvasElement): Promise<string> {
      let task: RenderTask | undefined
      const work = async () => {
        const page = await document.getPage(number)
        const whole = page.getViewport({ scale: 1 })
        const viewport = page.getViewport({ scale: Math.min(mostWidth / whole.width, mostHeight / whole.height) })
        canvas.width = Math.max(1, Math.floor(viewport.width))
        canvas.height = Math.max(1, Math.floor(viewport.height))
        task = page.render({ canvas, viewport })
        await task.promise
        const { items } = await page.getTextContent()
        page.cleanup()
        const written = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
        return cut(written, mostText)
      }
      try {
        return await within(work())
      } catch (thrown) {
        task?.cancel()
        throw thrown
      }
    }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** @throws PdfRefused */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PdfRefused('slow')), mostMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (thrown) {
    if (thrown instanceof PdfRefused) throw thrown
    throw new PdfRefused(thrown instanceof Error && thrown.name === 'PasswordException' ? 'locked' : 'broken')
  } finally {
    clearTimeout(timer)
  }
}

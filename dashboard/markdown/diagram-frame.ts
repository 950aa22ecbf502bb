/**
 * Draws Mermaid diagrams of strangers in a sandboxed frame: its origin is opaque, so a script that a diagram might
 * smuggle in reaches neither the session nor this page. This page shows the result as an image, in which nothing runs
 * and nothing is fetched. The frame has the page's policy, so the browser's console reports the inline styles that Mermaid
 * tries to set; `public/diagram-frame.js` applies them in another way.
 */
import library from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'

export interface Drawing {
  /** A `blob:` address of an SVG image. */
  url: string
  width: number
  height: number
}

/** Mermaid's code has 0.8 MB, and is loaded once. A drawing takes far less. In ms. */
const mostMs = 60_000

const mostSide = 20_000

/** A node of an image, whose address Mermaid would request. The page's policy blocks it, too. */
const fetches = /\bimg\s*:/

/** @returns null if the text is no diagram, or takes too long */
export async function drawDiagram(text: string, isDark: boolean): Promise<Drawing | null> {
  if (fetches.test(text)) return null
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  frame.className = 'diagram-frame'
  frame.ariaHidden = 'true'
  frame.tabIndex = -1
  const scripts = [library, '/diagram-frame.js'].map(
    (path) => `<script src="${new URL(path, window.location.href)}"></script>`,
  )
  frame.srcdoc = `<!doctype html><meta charset="utf-8">${scripts.join('')}<body></body>`
  try {
    const drawn = await answerOf(frame, text, isDark)
    if (!isDrawn(drawn)) return null
    const { svg, width, height } = drawn
    return { url: URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), width, height }
  } finally {
    frame.remove()
  }
}

function answerOf(frame: HTMLIFrameElement, text: string, isDark: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (answer: unknown) => {
      window.removeEventListener('message', receive)
      clearTimeout(timer)
      resolve(answer)
    }
    const receive = ({ source, data }: MessageEvent) => source === frame.contentWindow && end(data)
    const timer = setTimeout(end, mostMs, null)
    window.addEventListener('message', receive)
    frame.addEventListener('load', () => frame.contentWindow?.postMessage({ text, isDark }, '*'))
    document.body.append(frame)
  })
}

/** The frame may answer anything. */
function isDrawn(answer: unknown): answer is { svg: string; width: number; height: number } {
  if (typeof answer !== 'object' || answer === null) return false
  const { svg, width, height } = answer as Record<string, unknown> // safe because an object's fields may be read
  const isSide = (side: unknown) => typeof side === 'number' && side > 0 && side < mostSide
  return typeof svg === 'string' && isSide(width) && isSide(height)
}

/** Headers of a file that people made: it is saved, never shown, and may do nothing where it is opened. */
export const downloadHeaders = (path: string, size: number): Record<string, string> => ({
  'Content-Type': 'application/octet-stream',
  'Content-Length': String(size),
  'Content-Disposition': attachment(path.split('/').at(-1) || 'file'),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cache-Control': 'private, no-store',
})

/** RFC 6266: a plain name for old programs, and the true one. */
export const attachment = (name: string): string => {
  const encoded = encodeURIComponent(name.replace(/[\uD800-\uDFFF]/g, '_')).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encoded}`
}

/** Bytes as a stream that is read as fast as they are taken. */
export function streamOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const from = (async function* () {
    yield* source
  })()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await from.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await from.return()
    },
  })
}

export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (one) => one.charCodeAt(0))

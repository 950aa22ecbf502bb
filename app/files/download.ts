/** Headers for a user's file: browsers save it and never show it; if opened, it runs without permissions. */
export const downloadHeaders = (path: string, size: number): Record<string, string> => ({
  'Content-Type': 'application/octet-stream',
  'Content-Length': String(size),
  'Content-Disposition': attachment(path.split('/').at(-1) || 'file'),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cache-Control': 'private, no-store',
})

/** RFC 6266: an ASCII name for old clients, and the real name. */
export const attachment = (name: string): string => {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${name.replace(/[^\w. -]/gu, '_')}"; filename*=UTF-8''${encoded}`
}

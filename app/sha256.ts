/** The SHA-256, in hex, of bytes or of a text's UTF-8 bytes. */
export const sha256Of = async (content: string | Uint8Array<ArrayBuffer>): Promise<string> => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

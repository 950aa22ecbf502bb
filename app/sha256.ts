/** The SHA-256 of a text's UTF-8 bytes, in hex. */
export const sha256Of = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex')

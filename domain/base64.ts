/** UTF-8 text as base64url without padding (RFC 4648, section 5). */
export const toBase64Url = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** UTF-8 text of base64 in either alphabet. Other characters are skipped, as most decoders do. */
export function textOfBase64(base64: string): string {
  const digits = base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '')
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

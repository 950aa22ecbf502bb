/** A sender's authentication (RFC 8292): a token signed with the key of the subscription. */
import { createPublicKey, verify } from 'node:crypto'

const dayS = 24 * 60 * 60

/**
 * The token's error, as a status; null if it is valid. @param key base64url, that of the subscription
 */
export function refusalOf(authorization: string | undefined, key: string | null, origin: string): 401 | 403 | null {
  const [, token, shown] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), ?k=([\w-]+)$/.exec(authorization ?? '') ?? []
  if (!token || !shown || !isSigned(token, shown)) return 401
  const { aud, exp, sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const leftS = Number(exp) - Date.now() / 1_000
  if (aud !== origin || !(leftS > 0 && leftS <= dayS) || !/^(mailto:|https:)/.test(String(sub))) return 401
  return key === null || key === shown ? null : 403
}

function isSigned(token: string, shown: string): boolean {
  const point = Buffer.from(shown, 'base64url')
  if (point.length !== 65) return false
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const [head = '', body = '', signature = ''] = token.split('.')
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } })
    const signed = Buffer.from(`${head}.${body}`)
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum difference between a signature's time and our clock, seconds. */
const toleranceSeconds = 300

interface SignedRequest {
  headers: Readonly<Record<string, string>>
  rawBody: string
}

/** Checks the `v0` signature and its time. Returns null if valid, otherwise the reason. */
export function whyNotSlacks({ headers, rawBody }: SignedRequest, signingSecret: string, nowMs: number): string | null {
  if (signingSecret === '')
    return 'The signing secret of the Slack app is not set here. Set it, then send the request again.'
  const sent = headers['x-slack-request-timestamp'] ?? ''
  if (!/^\d{10}$/.test(sent))
    return 'The request has no time stamp. Send the seconds since 1970 as X-Slack-Request-Timestamp.'
  if (Math.abs(nowMs / 1000 - Number(sent)) > toleranceSeconds)
    return 'The time stamp is more than five minutes from now. Sign the request again with the present time.'
  const given = /^v0=([0-9a-f]{64})$/.exec(headers['x-slack-signature'] ?? '')?.[1]
  if (given === undefined) return 'The request has no signature. Send it as X-Slack-Signature, beginning with v0=.'
  const expected = signatureOf(rawBody, signingSecret, sent)
  return timingSafeEqual(Buffer.from(given, 'hex'), expected)
    ? null
    : 'The signature is wrong. Sign the body as it is sent, with the signing secret of the Slack app.'
}

/** @param second since 1970 */
export const signatureOf = (rawBody: string, signingSecret: string, second: string): Buffer =>
  createHmac('sha256', signingSecret).update(`v0:${second}:${rawBody}`, 'utf8').digest()

/** Seconds since 1970. */
export const signedAt = ({ headers }: SignedRequest): number => Number(headers['x-slack-request-timestamp'])

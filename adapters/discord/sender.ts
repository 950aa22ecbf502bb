import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { minuteMs, secondMs } from '../../domain/time.ts'
import { memoize } from '../memoize.ts'
import type { DiscordSecret } from './secret.ts'

type Headers = Readonly<Record<string, string>>
type Sender = { kind: 'discord' } | { kind: 'listener' } | { kind: 'refused'; why: string }

/** Maximum difference between a signature's time and our clock, ms. */
const freshMs = 5 * minuteMs

const keys = memoize<DiscordSecret, KeyObject>()

/**
 * The signer of a body: Discord, by Ed25519 over timestamp and body, or our listener, by HMAC-SHA256 over
 * `<seconds>.<body>`. With a Discord signature, only that is checked.
 */
export function senderOf(headers: Headers, rawBody: string, secret: DiscordSecret, nowMs: number): Sender {
  const signature = headers['x-signature-ed25519']
  if (signature !== undefined) {
    const time = headers['x-signature-timestamp'] ?? ''
    if (!isFresh(time, nowMs)) return refused(notFresh)
    return isOfDiscord(secret, signature, time + rawBody)
      ? { kind: 'discord' }
      : refused('The signature is wrong. Sign time stamp and body with the key of the Discord application.')
  }
  const own = headers['x-gateway-signature']
  if (own === undefined)
    return refused('The request has no signature. Send it as X-Signature-Ed25519, with X-Signature-Timestamp.')
  const time = headers['x-gateway-timestamp'] ?? ''
  if (!isFresh(time, nowMs)) return refused(notFresh)
  return isOfListener(secret, own, `${time}.${rawBody}`)
    ? { kind: 'listener' }
    : refused('The signature is wrong. Sign time stamp and body with the key of the listener.')
}

const notFresh =
  'The time stamp is missing, or more than five minutes from now. Sign the request again with the present time.'

const refused = (why: string): Sender => ({ kind: 'refused', why })

const isFresh = (seconds: string, nowMs: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(Number(seconds) * secondMs - nowMs) <= freshMs

function isOfDiscord(secret: DiscordSecret, signature: string, signed: string): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  const key = keys(secret, 'public', () => readKey(secret.publicKey))
  return key !== null && verify(null, Buffer.from(signed), key, Buffer.from(signature, 'hex'))
}

/** Null for an invalid key. */
function readKey(hex: string): KeyObject | null {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return null
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

export function listenerHeaders(gatewayKey: string, body: string, nowMs: number): Record<string, string> {
  const seconds = String(Math.floor(nowMs / secondMs))
  return {
    'x-gateway-timestamp': seconds,
    'x-gateway-signature': hmacOf(gatewayKey, `${seconds}.${body}`).toString('hex'),
  }
}

const hmacOf = (key: string, signed: string): Buffer => createHmac('sha256', key).update(signed).digest()

function isOfListener({ gatewayKey }: DiscordSecret, signature: string, signed: string): boolean {
  if (gatewayKey === '' || !/^[0-9a-f]{64}$/.test(signature)) return false
  return timingSafeEqual(hmacOf(gatewayKey, signed), Buffer.from(signature, 'hex'))
}

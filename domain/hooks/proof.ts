import { minuteMs, secondMs } from '../time.ts'

/** The sender's proof: the secret itself, or signatures of the body with it. */
export type Proof =
  | { kind: 'bearer'; secret: string }
  /** HMAC-SHA256 keyed with the secret’s text, in hex. */
  | { kind: 'github'; content: string; signature: string }
  /** HMAC-SHA256 keyed with the bytes behind `whsec_`, in base64; one valid signature is enough. */
  | { kind: 'standard'; content: string; signatures: string[] }

/** `names` identify repetitions of a delivery. */
export interface Shown {
  proof: Proof
  names: string[]
}

/** Allowed distance of a Standard Webhooks signature's time from now, ms. */
const toleranceMs = 5 * minuteMs

/** A sender that changes its secret signs with both. */
const maxSignatures = 8

const printable = /^[!-~]{1,255}$/

type Headers = Readonly<Record<string, string>>

/** Null without a proof, or outside the time window. With an Authorization header no other proof counts. */
export function readProof(headers: Headers, body: string, nowMs: number): Shown | null {
  if (headers.authorization !== undefined) return readBearer(headers.authorization, headers['idempotency-key'])
  if (headers['webhook-signature'] !== undefined) return readStandard(headers, body, nowMs)
  return readGithub(headers, body)
}

function readBearer(authorization: string, key: string | undefined): Shown | null {
  const secret = /^bearer +(\S{1,255})$/i.exec(authorization.trim())?.[1]
  if (!secret || (key !== undefined && !printable.test(key))) return null
  return { proof: { kind: 'bearer', secret }, names: key === undefined ? [] : [`key ${key}`] }
}

/** GitHub does not sign the delivery's id, so an equal body is the same delivery. */
function readGithub(headers: Headers, body: string): Shown | null {
  const signature = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1]
  const delivery = headers['x-github-delivery']
  if (!signature || (delivery !== undefined && !printable.test(delivery))) return null
  const names = [`body ${signature}`, ...(delivery === undefined ? [] : [`github ${delivery}`])]
  return { proof: { kind: 'github', content: body, signature }, names }
}

/** A full stop separates the signed id, time and body, so an id with a full stop could shift their boundaries. */
function readStandard(headers: Headers, body: string, nowMs: number): Shown | null {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatureHeader = '' } = headers
  if (!printable.test(id) || id.includes('.') || !/^[1-9]\d{0,10}$/.test(time)) return null
  if (Math.abs(nowMs - Number(time) * secondMs) > toleranceMs) return null
  const signatures = signatureHeader
    .split(' ')
    .flatMap((signature) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1] ?? [])
  if (signatures.length === 0 || signatures.length > maxSignatures) return null
  return { proof: { kind: 'standard', content: `${id}.${time}.${body}`, signatures }, names: [`standard ${id}`] }
}

import { minuteMs, secondMs } from '../time.ts'

/**
 * How a sender shows that it has the hook’s secret: the secret itself, or signatures of the body that it made with it.
 */
export type Proof =
  | { kind: 'bearer'; secret: string }
  /** HMAC-SHA256 keyed with the secret’s text, in hex. */
  | { kind: 'github'; content: string; signature: string }
  /** HMAC-SHA256 keyed with the bytes behind `whsec_`, in base64; any of them may hold. */
  | { kind: 'standard'; content: string; signatures: string[] }

/** A request's proof, and the names by which a repeated delivery is recognised. */
export interface Shown {
  proof: Proof
  names: string[]
}

/** How far the time of a Standard Webhooks signature may lie from now, ms. */
const toleranceMs = 5 * minuteMs

/** Most signatures of one delivery: a sender that changes its secret signs with both. */
const maxSignatures = 8

const printable = /^[!-~]{1,255}$/

type Headers = Readonly<Record<string, string>>

/**
 * The proof in the headers, by form alone; null if there is none, or if its time is outside the window. An
 * Authorization header counts alone; one way that is tried and is not right is never made up for by another.
 */
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

/**
 * GitHub signs only the body, so anybody who repeats a body can change the delivery’s id: the same body is the same
 * delivery, whatever its id.
 */
function readGithub(headers: Headers, body: string): Shown | null {
  const signature = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1]
  const delivery = headers['x-github-delivery']
  if (!signature || (delivery !== undefined && !printable.test(delivery))) return null
  const names = [`body ${signature}`, ...(delivery === undefined ? [] : [`github ${delivery}`])]
  return { proof: { kind: 'github', content: body, signature }, names }
}

/**
 * An id with a full stop could take over what belongs to the time or the body: the three are signed with one between
 * them.
 */
function readStandard(headers: Headers, body: string, nowMs: number): Shown | null {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': given = '' } = headers
  if (!printable.test(id) || id.includes('.') || !/^[1-9]\d{0,10}$/.test(time)) return null
  if (Math.abs(nowMs - Number(time) * secondMs) > toleranceMs) return null
  const signatures = given.split(' ').flatMap((signature) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1] ?? [])
  if (signatures.length === 0 || signatures.length > maxSignatures) return null
  return { proof: { kind: 'standard', content: `${id}.${time}.${body}`, signatures }, names: [`standard ${id}`] }
}

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Part } from '../../app/ports/part.ts'
import type { IdempotencyKeys } from '../../app/ports/rates.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, invalid } from '../../domain/errors.ts'

export const idempotencyHeader = 'Idempotency-Key'

const shape = /^[!-~]{1,255}$/

interface Call {
  actor: Actor
  /** ms since 1970. */
  now: number
  request: { headers: Readonly<Record<string, string>>; method: string; target: string; rawBody: string }
  reportError(error: unknown): void
}

/** A request with a key: its storage id, its hash, and the secret that encrypts its answer. */
interface Keyed {
  id: string
  request: string
  secret: Buffer
}

const sha256 = (...parts: string[]): string => createHash('sha256').update(parts.join('\n')).digest('base64url')

/**
 * The answer may contain a new token's plaintext, so the caller's credential encrypts it, which a repeated request has,
 * too. The store has only the credential's hash.
 */
function keyedBy({ actor, request }: Call, key: string): Keyed {
  const caller = actor.kind === 'pat' ? actor.tokenId : 'sessionId' in actor ? actor.sessionId : ''
  const { authorization = '', cookie = '' } = request.headers
  return {
    id: sha256(caller, key),
    request: sha256(request.method, request.target, request.rawBody),
    secret: Buffer.from(hkdfSync('sha256', authorization || cookie, key, 'answer', 32)),
  }
}

function seal({ secret, id }: Keyed, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(id))
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function open({ secret, id }: Keyed, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(Buffer.from(id))
  try {
    decipher.setAuthTag(bytes.subarray(-16))
    return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

/**
 * Runs once for each key, for a day; a repeated request gets the first answer. `run` writes the claim with its change.
 * @throws validation for a key of another shape; conflict
 */
export async function doneOnce<T>(keys: IdempotencyKeys, call: Call, run: (claim?: Part) => Promise<T>): Promise<T> {
  const key = call.request.headers[idempotencyHeader.toLowerCase()]
  if (key === undefined) return run()
  if (!shape.test(key)) throw invalid(idempotencyHeader, 'send 1 to 255 printable ASCII characters, such as a UUID.')
  const keyed = keyedBy(call, key)
  const known = await keys.find(keyed.id, call.now)
  // safe because what is kept under this request's hash is what it was answered
  if (known) return JSON.parse(answerOf(known, keyed)) as T
  const output = await run(keys.claim(keyed, call.now))
  // If this fails, a repeated request learns that the first was done, but not its answer.
  await keys.keep(keyed, seal(keyed, JSON.stringify(output)), call.now).catch(call.reportError)
  return output
}

/** @throws conflict for another request under the same key, or one whose answer is missing */
function answerOf({ request, answer }: { request: string; answer: string | null }, keyed: Keyed): string {
  if (request !== keyed.request)
    throw conflict(`This ${idempotencyHeader} was used for another request in the last 24 hours. Use a new one.`)
  const text = answer === null ? null : open(keyed, answer)
  if (text !== null) return text
  throw conflict(
    `A request with this ${idempotencyHeader} is being handled, or was done and its answer is lost. Look whether it was done before you ask under a new one.`,
  )
}

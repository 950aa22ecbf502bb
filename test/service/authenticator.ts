/** An authenticator in software: P-256 passkeys for the service's own options. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { type Caller, call, cookieOf, newAddress, origin } from './client.ts'

interface Passkey {
  id: Buffer
  key: KeyObject
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
/** Browsers make no passkeys for an address that is a number. */
const page = origin.replace('//127.0.0.1', '//localhost')
const toSign = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin: page }))

/** @param flags the flags of the data after it, and 0x05 for a present and verified user */
const authenticatorData = (host: string, flags: number, rest: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([sha256(host), Buffer.from([flags, 0, 0, 0, 0]), rest])

/** Makes a passkey for the signed-in user. @returns the passkey, with its id at the service */
export async function addPasskey(user: Caller): Promise<Passkey & { known: string }> {
  const { body } = await call('POST', '/auth/passkeys/registration', {}, user)
  const id = randomBytes(16)
  const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  // RFC 9053: an elliptic curve key (1: 2) for ES256 (3: -7) on P-256 (-1: 1).
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]),
  )
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose])
  const attestationObject = isoCBOR.encode(
    new Map<string, string | Map<string, string> | Uint8Array>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', new Uint8Array(authenticatorData(body.options.rp.id, 0x45, credential))],
    ]),
  )
  const response = answer(id, {
    clientDataJSON: toSign('webauthn.create', body.options.challenge),
    attestationObject: Buffer.from(attestationObject),
  })
  const added = await call('POST', '/auth/passkeys', { name: 'Test key', response }, user)
  if (added.status !== 201) throw new Error(`no passkey: ${added.status} ${JSON.stringify(added.body)}`)
  return { id, key, known: added.body.passkey.id }
}

/** Signs in with the passkey. @returns the answer, whose cookie is the session's */
export async function signInByPasskey({ id, key }: Passkey) {
  const from = { address: newAddress() }
  const { body } = await call('POST', '/auth/passkeys/options', {}, from, { origin })
  const clientDataJSON = toSign('webauthn.get', body.options.challenge)
  const data = authenticatorData(body.options.rpId, 0x05)
  const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), key)
  const response = answer(id, { clientDataJSON, authenticatorData: data, signature })
  const verified = await call('POST', '/auth/passkeys/verify', { response }, from, { origin })
  return { ...verified, cookie: verified.status === 200 ? cookieOf(verified) : '' }
}

function answer(id: Buffer, response: Record<string, Buffer>) {
  const text = id.toString('base64url')
  const encoded = Object.entries(response).map(([name, value]) => [name, value.toString('base64url')])
  return {
    id: text,
    rawId: text,
    type: 'public-key',
    clientExtensionResults: {},
    response: Object.fromEntries(encoded),
  }
}

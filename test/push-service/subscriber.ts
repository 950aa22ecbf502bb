/** A browser's side of a subscription: its keys, and opening what was encrypted for them (RFC 8188 and 8291). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

export interface Subscriber {
  endpoint: string
  /** Its public key on P-256 and its secret, base64url, as a browser tells them. */
  p256dh: string
  auth: string
  /** The text that a message carries. @throws when it is not for this subscriber, or was changed */
  open(body: Uint8Array): string
}

export function newSubscriber(endpoint: string): Subscriber {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  return {
    endpoint,
    p256dh: keys.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
    open(body) {
      const { salt, sender, sealed } = parse(Buffer.from(body))
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
      const secret = derive(keys.computeSecret(sender), auth, info, 32)
      const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
      const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce)
      decipher.setAuthTag(sealed.subarray(-16))
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      // The last record ends with a 2, and zeros after it.
      const end = padded.lastIndexOf(2)
      if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the last record')
      return padded.subarray(0, end).toString('utf8')
    },
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))

/** Salt, record size, the sender's key, and one record. */
function parse(body: Buffer) {
  const keyLength = body.readUInt8(20)
  const recordSize = body.readUInt32BE(16)
  const sealed = body.subarray(21 + keyLength)
  if (keyLength !== 65 || sealed.length > recordSize) throw new Error('not one record with a key of P-256')
  return { salt: body.subarray(0, 16), sender: body.subarray(21, 21 + keyLength), sealed }
}

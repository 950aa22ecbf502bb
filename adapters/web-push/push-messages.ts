import { createECDH, createHmac, type ECDH } from 'node:crypto'
import webPush from 'web-push'
import * as z from 'zod'
import type { PushMessages } from '../../app/ports/notifications.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

const curve = 'prime256v1'

/** Derives the stage's key pair from its secret. One number in 2³² is no valid key; the next is used then. */
function keysFrom(secret: string): ECDH {
  for (let tried = 0; ; tried++) {
    const keys = createECDH(curve)
    try {
      keys.setPrivateKey(createHmac('sha256', secret).update(`vapid 1 ${tried}`).digest())
      return keys
    } catch {}
  }
}

/** Whether the point is on the curve; only a computation shows it. */
function isKey(p256dh: string): boolean {
  const own = createECDH(curve)
  own.generateKeys()
  try {
    return own.computeSecret(Buffer.from(p256dh, 'base64url')).length === 32
  } catch {
    return false
  }
}

/** RFC 8291 and RFC 8292 by `web-push`, which builds the request but does not send it. */
export const pushMessages = (env: Env): PushMessages => {
  const readKey = secretReader(env.secret('notification-key'), z.object({ key: z.string().min(16) }))
  const keys = async () => keysFrom((await readKey()).key)
  return {
    publicKey: async () => (await keys()).getPublicKey('base64url'),
    isKey,
    async seal({ endpoint, p256dh, auth }, payload, { ttlSeconds, topic }) {
      const own = await keys()
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        JSON.stringify(payload),
        {
          vapidDetails: {
            subject: `mailto:${env.variable('MAIL_FROM')}`,
            publicKey: own.getPublicKey('base64url'),
            // Leading zeros must stay: a shorter key is refused.
            privateKey: Buffer.from(own.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url'),
          },
          TTL: ttlSeconds,
          urgency: 'high',
          topic,
          contentEncoding: 'aes128gcm',
        },
      )
      return { headers: named(headers), body }
    },
  }
}

/** The HTTP client sets the length itself. */
const named = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name === 'Content-Length' ? [] : [[name.toLowerCase(), String(value)]],
    ),
  )

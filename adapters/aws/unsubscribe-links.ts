import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { UnsubscribeLinks } from '../../app/ports/notifications.ts'
import { type Group, groups } from '../../domain/notifications/kinds.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

const keySchema = z.object({ key: z.string().min(16) })

const mac = (key: string, userId: string, group: string): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['unsubscribe 1', userId, group]))
    .digest()
    .subarray(0, 16)

/** 128 bits of an HMAC-SHA256 over user and group. The link only unsubscribes, and never expires. */
export function unsubscribeSigner(env: Env): (userId: string, group: Group) => Promise<string> {
  const readKey = secretReader(env.secret('notification-key'), keySchema)
  return async (userId, group) =>
    `${userId}.${group}.${mac((await readKey()).key, userId, group).toString('base64url')}`
}

export const unsubscribeLinks = (env: Env): UnsubscribeLinks => {
  const readKey = secretReader(env.secret('notification-key'), keySchema)
  return {
    async read(token) {
      const [userId = '', named = '', signature = ''] = token.split('.')
      const group = groups.find((each) => each === named)
      const given = Buffer.from(signature, 'base64url')
      if (!group || given.length !== 16) return null
      const { key } = await readKey()
      return timingSafeEqual(given, mac(key, userId, group)) ? { userId, group } : null
    },
  }
}

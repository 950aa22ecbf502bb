import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { MachineTokens } from '../../app/ports/tokens.ts'
import { turnTrigger } from '../../domain/chat/message.ts'
import {
  type MachineTokenKeys,
  machineTokenKeys,
  previousUntilMs,
  signingKey,
} from '../../domain/tokens/key-rotation.ts'
import type { MachineClaims, TokenAudience } from '../../domain/tokens/machine-token.ts'
import type { Env } from '../env.ts'
import { memoize } from '../memoize.ts'
import { secretReader } from './secrets.ts'

/** Short claim names: three tokens share the 8,192 characters of a task's overrides. */
const payload = z.strictObject({
  u: z.string().min(1),
  i: z.string().min(1),
  g: z.int().min(1),
  b: z.int().min(0),
  e: z.int().min(0),
  t: turnTrigger.optional(),
  p: z.string().optional(),
})

/** Minimum interval of re-reading the keys after a failed check, ms. The key may have been rotated elsewhere. */
const rereadMs = 30_000
const longest = 1_024

/** `bmt_<audience>.<payload>.<mac>`: HMAC-SHA256 with a key derived for each audience from the master key. */
export const machineTokens = (env: Env, now = () => Date.now()): MachineTokens => {
  const readKeys = secretReader(env.secret('machine-token-keys'), machineTokenKeys, now)
  return {
    async sign(claims) {
      const master = signingKey(await readKeys(), now())
      const signed = `${prefix(claims.audience)}.${encode(claims)}`
      return `${signed}.${mac(signed, master, claims.audience).toString('base64url')}`
    },
    async verify(token, audience, nowMs) {
      if (token.length > longest || !token.startsWith(`${prefix(audience)}.`)) return null
      for (const maxAgeMs of [undefined, rereadMs]) {
        const keys = await readKeys(maxAgeMs)
        const found = genuineBy(token, audience, keys)
        if (found && isGood(found, keys, nowMs)) return found.claims.expiresMs > nowMs ? found.claims : null
      }
      return null
    },
  }
}

/**
 * Caches verified tokens by keys, because a machine sends the same token for half an hour. Expiry is still checked each
 * time. A Map finds entries by seeded hashes, so its timing reveals no token.
 */
const genuine = memoize<MachineTokenKeys, Genuine>()

interface Genuine {
  claims: MachineClaims
  by: 'current' | 'previous'
}

const isGood = ({ by }: Genuine, keys: MachineTokenKeys, nowMs: number): boolean =>
  by === 'current' || nowMs < previousUntilMs(keys)

const genuineBy = (token: string, audience: TokenAudience, keys: MachineTokenKeys): Genuine | null =>
  genuine(keys, token, () => {
    const parts = split(token, audience)
    const by = parts && (['current', 'previous'] as const).find((name) => matches(parts, keys[name], audience))
    const claims = by ? decode(parts.body, audience) : null
    return by && claims ? { claims, by } : null
  })

interface Parts {
  signed: string
  body: string
  mac: Buffer
}

const prefix = (audience: TokenAudience) => `bmt_${audience}`

function split(token: string, audience: TokenAudience): Parts | null {
  const [head, body, tail, ...rest] = token.split('.')
  if (head !== prefix(audience) || !body || !tail || rest.length > 0) return null
  // Each token has only one valid spelling: Buffer also accepts padding, other alphabets and loose last bits.
  if (Buffer.from(tail, 'base64url').toString('base64url') !== tail) return null
  return { signed: `${head}.${body}`, body, mac: Buffer.from(tail, 'base64url') }
}

function matches(parts: Parts, master: string | null | undefined, audience: TokenAudience): boolean {
  if (!master) return false
  const expected = mac(parts.signed, master, audience)
  return parts.mac.length === expected.length && timingSafeEqual(parts.mac, expected)
}

const mac = (signed: string, master: string, audience: TokenAudience): Buffer =>
  createHmac('sha256', keyOf(master, audience)).update(signed).digest()

const derived = new Map<string, KeyObject>()

function keyOf(master: string, audience: TokenAudience): KeyObject {
  const name = `${audience}.${master}`
  const known = derived.get(name)
  if (known) return known
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `berth machine token ${audience} 1`, 32)))
  derived.set(name, key)
  return key
}

function encode({ userId, instanceId, generation, bornMs, expiresMs, trigger: t, promptId: p }: MachineClaims): string {
  const short = { u: userId, i: instanceId, g: generation, b: bornMs, e: expiresMs, ...(t && { t }), ...(p && { p }) }
  return Buffer.from(JSON.stringify(short)).toString('base64url')
}

function decode(body: string, audience: TokenAudience): MachineClaims | null {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  const { data } = payload.safeParse(json)
  if (!data) return null
  const { u, i, g, b, e, t, p } = data
  return {
    audience,
    userId: u,
    instanceId: i,
    generation: g,
    bornMs: b,
    expiresMs: e,
    ...(t && { trigger: t }),
    ...(p && { promptId: p }),
  }
}

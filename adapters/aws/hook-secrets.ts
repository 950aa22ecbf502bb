import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { HookSecrets } from '../../app/ports/hooks.ts'
import type { Proof } from '../../domain/hooks/proof.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest()

const same = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)

/** Compares hashes, because the texts may differ in length. */
const sameText = (given: string, expected: string): boolean => same(hmac('compare', given), hmac('compare', expected))

/** HMAC-SHA256 of the id of a hook or endpoint and its secret's version, under the stage's key. */
export const hookSecrets = (env: Env): HookSecrets => {
  const readKey = secretReader(env.secret('hook-key'), z.object({ key: z.string().min(16) }))
  const bytesOf = async ({ id, secretVersion }: { id: string; secretVersion: number }) =>
    hmac((await readKey()).key, JSON.stringify(['hook secret 1', id, secretVersion]))
  return {
    secretOf: async (hook) => textOf(await bytesOf(hook)),
    sign: async (by, content) => `v1,${hmac(await bytesOf(by), content).toString('base64')}`,
    verify: async (hook, proof) => holds(await bytesOf(hook), proof),
  }
}

const textOf = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`

function holds(secret: Buffer, proof: Proof): boolean {
  if (proof.kind === 'bearer') return sameText(proof.secret, textOf(secret))
  if (proof.kind === 'github') return same(Buffer.from(proof.signature, 'hex'), hmac(textOf(secret), proof.content))
  const expected = hmac(secret, proof.content)
  return proof.signatures.map((each) => same(Buffer.from(each, 'base64'), expected)).includes(true)
}

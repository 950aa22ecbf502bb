import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import * as z from 'zod'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** A text under its own data key, which only KMS can decrypt; all parts in base64. */
export const encrypted = z.object({ key: z.string(), iv: z.string(), text: z.string(), tag: z.string() })
export type Encrypted = z.infer<typeof encrypted>

const kms = once(() => new KMSClient({ maxAttempts: 5 }))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The key that wraps a user's data keys. KMS logs the context, and checks it on decryption. */
const keyOf = (env: Env, userId: string) => ({
  KeyId: env.variable('VARIABLES_KEY_ARN'),
  EncryptionContext: { userId },
})

/** Encrypts texts under one new data key. Each text is bound to its name, so that texts cannot be swapped. */
export async function encryptAll(
  env: Env,
  userId: string,
  texts: Record<string, string>,
): Promise<Record<string, Encrypted>> {
  if (Object.keys(texts).length === 0) return {}
  const made = await kms().send(new GenerateDataKeyCommand({ ...keyOf(env, userId), KeySpec: 'AES_256' }))
  if (!made.Plaintext || !made.CiphertextBlob) throw new Error('KMS made a data key without bytes')
  const [plain, key] = [made.Plaintext, base64(made.CiphertextBlob)]
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', plain, iv).setAAD(aadOf(userId, name))
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return [name, { key, iv: base64(iv), text: base64(text), tag: base64(cipher.getAuthTag()) }]
    }),
  )
}

/** Calls KMS once per data key. */
export async function decryptAll(
  env: Env,
  userId: string,
  encrypted: Record<string, Encrypted>,
): Promise<Record<string, string>> {
  const wrapped = [...new Set(Object.values(encrypted).map(({ key }) => key))]
  const plain = new Map(await Promise.all(wrapped.map(async (key) => [key, await unwrap(env, userId, key)] as const)))
  return Object.fromEntries(
    Object.entries(encrypted).map(([name, { key, iv, text, tag }]) => {
      const bytes = plain.get(key)
      if (!bytes) throw new Error('a data key was not decrypted')
      const decipher = createDecipheriv('aes-256-gcm', bytes, Buffer.from(iv, 'base64'))
      decipher.setAAD(aadOf(userId, name)).setAuthTag(Buffer.from(tag, 'base64'))
      return [name, Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()]).toString('utf8')]
    }),
  )
}

async function unwrap(env: Env, userId: string, key: string): Promise<Uint8Array> {
  const wrapped = { ...keyOf(env, userId), CiphertextBlob: Buffer.from(key, 'base64') }
  const decrypted = await kms().send(new DecryptCommand(wrapped))
  if (!decrypted.Plaintext) throw new Error('KMS decrypted a data key without bytes')
  return decrypted.Plaintext
}

const aadOf = (userId: string, name: string) => Buffer.from(`${userId}\n${name}`)

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import type { Env } from '../env.ts'

/** A text under a data key of its own, which only KMS can open again; all parts in base64. */
export interface Sealed {
  key: string
  iv: string
  text: string
  tag: string
}

let client: KMSClient | undefined
const kms = () => {
  client ??= new KMSClient({ maxAttempts: 5 })
  return client
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** What KMS notes with each use of a key, and compares when it opens one. */
const contextOf = (userId: string) => ({ userId })

/** Seals texts of one user under one new data key. Each is bound to its name, so that none can take another's place. */
export async function sealAll(
  env: Env,
  userId: string,
  texts: Record<string, string>,
): Promise<Record<string, Sealed>> {
  if (Object.keys(texts).length === 0) return {}
  const made = await kms().send(
    new GenerateDataKeyCommand({
      KeyId: env.variable('VARIABLES_KEY_ARN'),
      KeySpec: 'AES_256',
      EncryptionContext: contextOf(userId),
    }),
  )
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

/** Opens what `sealAll` sealed; asks KMS once for each data key. */
export async function openAll(
  env: Env,
  userId: string,
  sealed: Record<string, Sealed>,
): Promise<Record<string, string>> {
  const wrapped = [...new Set(Object.values(sealed).map(({ key }) => key))]
  const plain = new Map(await Promise.all(wrapped.map(async (key) => [key, await unwrap(env, userId, key)] as const)))
  return Object.fromEntries(
    Object.entries(sealed).map(([name, { key, iv, text, tag }]) => {
      const bytes = plain.get(key)
      if (!bytes) throw new Error('a data key was not opened')
      const opened = createDecipheriv('aes-256-gcm', bytes, Buffer.from(iv, 'base64'))
      opened.setAAD(aadOf(userId, name)).setAuthTag(Buffer.from(tag, 'base64'))
      return [name, Buffer.concat([opened.update(Buffer.from(text, 'base64')), opened.final()]).toString('utf8')]
    }),
  )
}

async function unwrap(env: Env, userId: string, key: string): Promise<Uint8Array> {
  const opened = await kms().send(
    new DecryptCommand({
      KeyId: env.variable('VARIABLES_KEY_ARN'),
      CiphertextBlob: Buffer.from(key, 'base64'),
      EncryptionContext: contextOf(userId),
    }),
  )
  if (!opened.Plaintext) throw new Error('KMS opened a data key without bytes')
  return opened.Plaintext
}

const aadOf = (userId: string, name: string) => Buffer.from(`${userId}\n${name}`)

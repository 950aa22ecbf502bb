import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
import { type Action, AwsError, fingerprint, parse } from './protocols.ts'

const context = z.record(z.string(), z.string()).default({})
const generate = z.object({ KeyId: z.string(), KeySpec: z.literal('AES_256'), EncryptionContext: context })
const decrypt = z.object({ KeyId: z.string().optional(), CiphertextBlob: z.base64(), EncryptionContext: context })

const ivBytes = 12
const tagBytes = 16

const wrong = () => new AwsError('InvalidCiphertextException', 'The ciphertext is not one of this key and context.')

/** The id of the key that a data key was wrapped by; the ciphertext is base64. */
export const wrappedBy = (ciphertext: string): string =>
  Buffer.from(ciphertext, 'base64')
    .subarray(ivBytes + tagBytes + 32)
    .toString()

/** KMS: GenerateDataKey and Decrypt. Every key id stands for one key of this emulator, bound to its id and the encryption context. */
export function keyActions(options: { file: string }): Record<string, Action> {
  const state = openState(options.file, z.object({ master: z.base64() }), {
    master: randomBytes(32).toString('base64'),
  })
  state.save()
  const master = Buffer.from(state.value.master, 'base64')
  const aad = (keyId: string, given: Record<string, string>) => Buffer.from(fingerprint({ keyId, given }))

  return {
    GenerateDataKey(input) {
      const { KeyId, EncryptionContext } = parse(generate, input, 'ValidationException')
      const [plain, iv] = [randomBytes(32), randomBytes(ivBytes)]
      const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(aad(KeyId, EncryptionContext))
      const text = Buffer.concat([cipher.update(plain), cipher.final()])
      const blob = Buffer.concat([iv, cipher.getAuthTag(), text, Buffer.from(KeyId)])
      return { KeyId, Plaintext: plain.toString('base64'), CiphertextBlob: blob.toString('base64') }
    },
    Decrypt(input) {
      const { KeyId, CiphertextBlob, EncryptionContext } = parse(decrypt, input, 'ValidationException')
      const blob = Buffer.from(CiphertextBlob, 'base64')
      const start = ivBytes + tagBytes
      const keyId = wrappedBy(CiphertextBlob)
      if (KeyId !== undefined && KeyId !== keyId)
        throw new AwsError('IncorrectKeyException', 'The key that wrapped this is another one.')
      try {
        const cipher = createDecipheriv('aes-256-gcm', master, blob.subarray(0, ivBytes))
        cipher.setAAD(aad(keyId, EncryptionContext)).setAuthTag(blob.subarray(ivBytes, start))
        const plain = Buffer.concat([cipher.update(blob.subarray(start, start + 32)), cipher.final()])
        return { KeyId: keyId, Plaintext: plain.toString('base64') }
      } catch {
        throw wrong()
      }
    },
  }
}

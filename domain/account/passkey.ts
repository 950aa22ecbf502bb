import * as z from 'zod'
import { timestamp } from '../timestamp.ts'

export const passkey = z
  .object({
    id: z.string().meta({ example: 'pky_3QZ6q5b1mS0x5rjS8uWb1A' }),
    name: z.string(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
    synced: z.boolean().meta({ description: 'Kept by a password manager on several devices.' }),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof passkey>

/** A verified registration, without any secret. Binary values are base64url. */
const credential = z.object({
  credentialId: z.string(),
  publicKey: z.string(),
  counter: z.int(),
  transports: z.array(z.string()),
  synced: passkey.shape.synced,
})
export type Credential = z.infer<typeof credential>

export const passkeyRecord = passkey.extend({ ...credential.shape, userId: z.string() })
export type PasskeyRecord = z.infer<typeof passkeyRecord>

export const showPasskey = (record: PasskeyRecord): Passkey => passkey.parse(record)

export const maxPasskeys = 20

export const ceremonyJson = z
  .record(z.string(), z.unknown())
  .meta({ description: 'JSON of the Web Authentication API (Level 3).' })
export type CeremonyJson = z.infer<typeof ceremonyJson>

/** `id` is base64url. */
export const ceremonyResponse = z
  .looseObject({ id: z.string().min(1).max(1400), type: z.literal('public-key'), response: ceremonyJson })
  .meta({ description: 'The result of `navigator.credentials`, in its JSON form.' })
export type CeremonyResponse = z.infer<typeof ceremonyResponse>

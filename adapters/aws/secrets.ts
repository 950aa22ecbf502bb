import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type * as z from 'zod'
import { type KeptReader, keptFor, once } from '../memoize.ts'

/** Lifetime of a cached secret, ms: a rotated key is in use everywhere after this time. */
const freshMs = 5 * 60 * 1000

const client = once(() => new SecretsManagerClient({}))

/** Reads a secret's JSON and caches it for five minutes. Errors contain names of fields, never values. */
export const secretReader = <T>(arn: string, schema: z.ZodType<T>, now?: () => number): KeptReader<T> =>
  keptFor(async () => parse(arn, await fetchSecret(arn), schema), freshMs, now)

/** @param id name or ARN */
export const readSecret = async (id: string): Promise<unknown> => JSON.parse(await fetchSecret(id))

/** Functions may use the previous value for up to five minutes. */
export async function writeSecret(id: string, value: object): Promise<void> {
  await client().send(new PutSecretValueCommand({ SecretId: id, SecretString: JSON.stringify(value) }))
}

async function fetchSecret(arn: string): Promise<string> {
  const { SecretString } = await client().send(new GetSecretValueCommand({ SecretId: arn }))
  return SecretString ?? ''
}

function parse<T>(arn: string, text: string, schema: z.ZodType<T>): T {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error(`the secret ${arn} is not JSON`)
  }
  const result = schema.safeParse(json)
  if (result.success) return result.data
  throw new Error(`the secret ${arn} is not as it should be at: ${whatIsWrong(result.error).join('; ')}`)
}

/** Each invalid field with the reason, without values. */
export const whatIsWrong = ({ issues }: z.ZodError): string[] => [
  ...new Set(issues.map(({ path, message }) => `${path.join('.') || 'the whole'} (${message})`)),
]

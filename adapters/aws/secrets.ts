import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type * as z from 'zod'
import { once } from '../memoize.ts'

/** A secret's value, parsed; `maxAgeMs` asks for one read no longer ago than this. */
export type ReadSecret<T> = (maxAgeMs?: number) => Promise<T>

/** How long a secret is believed, ms: a rotated key is in use everywhere after this. */
const freshMs = 5 * 60 * 1000

const client = once(() => new SecretsManagerClient({}))

/**
 * A reader of a secret's JSON. The value is kept for five minutes; when it cannot be read again the older one goes on
 * being used, so that an outage of the store of secrets stops nobody. Errors name fields, never values.
 */
export function secretReader<T>(arn: string, schema: z.ZodType<T>, now: () => number = Date.now): ReadSecret<T> {
  let held: { value: T; atMs: number } | undefined
  let reading: Promise<T> | undefined

  const load = async (): Promise<T> => {
    const value = parse(arn, await fetchSecret(arn), schema)
    held = { value, atMs: now() }
    return value
  }

  return async (maxAgeMs = freshMs) => {
    if (held && now() - held.atMs < maxAgeMs) return held.value
    reading ??= load().finally(() => {
      reading = undefined
    })
    try {
      return await reading
    } catch (error) {
      if (held) return held.value
      throw error
    }
  }
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
  const fields = result.error.issues.map((issue) => issue.path.join('.') || 'the whole')
  throw new Error(`the secret ${arn} is not as it should be at: ${[...new Set(fields)].join(', ')}`)
}

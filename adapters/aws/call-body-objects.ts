import { DeleteObjectCommand, GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3'
import { bodySlots, maxCallBytes } from '../../domain/models/call-limits.ts'
import { secondMs } from '../../domain/time.ts'
import { once } from '../memoize.ts'
import { objectClient, signPut } from './signed-put.ts'

const client = once(objectClient)

interface Place {
  Bucket: string
  Key: string
}

const fetchMs = 60 * secondMs

export const signBody = (at: Place, body: { size: number; sha256: string }): Promise<string> =>
  signPut(client(), { ...at, ...body }, bodySlots.ttlMs / secondMs)

/** Null if the object is missing, or larger than any signed one. */
export async function readBody(at: Place): Promise<string | null> {
  const abortSignal = AbortSignal.timeout(fetchMs)
  try {
    const { Body, ContentLength = 0 } = await client().send(new GetObjectCommand(at), { abortSignal })
    if (ContentLength <= maxCallBytes) return (await Body?.transformToString()) ?? null
    await Body?.transformToWebStream().cancel()
    return null
  } catch (error) {
    if (error instanceof NoSuchKey) return null
    throw error
  }
}

export async function removeBody(at: Place): Promise<void> {
  await client().send(new DeleteObjectCommand(at))
}

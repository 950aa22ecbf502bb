import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { chunkKey, chunksKey, indexKey } from '../../../domain/files/storage.ts'
import { iso } from '../../../domain/time.ts'
import type { Tenant, World } from '../../world.ts'

/** Stores a restore point with one file: its record and its objects. */
export async function keepPoint(
  { ports }: World,
  { userId, instance: { id: instanceId } }: Tenant,
  point: string,
): Promise<void> {
  const createdAt = iso(Date.now())
  const whole = { completedAt: createdAt, summary: null, newBytes: 0, failure: null }
  const made = {
    id: point,
    instanceId,
    taskId: 'tsk_1',
    state: 'ready',
    reason: 'demand',
    createdAt,
    ...whole,
  } as const
  await ports.restorePoints.add(userId, made)
  const text = new TextEncoder().encode('high at noon')
  const sha256 = createHash('sha256').update(text).digest('hex')
  const line = { p: 'notes/tide.txt', s: text.length, m: 0, x: 0o644, o: 0 }
  const objects: [key: string, bytes: Uint8Array<ArrayBuffer>][] = [
    [indexKey(instanceId, point), new Uint8Array(gzipSync(`${JSON.stringify(line)}\n`))],
    [chunksKey(instanceId, point), new TextEncoder().encode(JSON.stringify([{ sha256, size: text.length }]))],
    [chunkKey(instanceId, sha256), text],
  ]
  for (const [key, bytes] of objects) {
    const put = await fetch(await ports.storage.putAddress(key, bytes.length), { method: 'PUT', body: bytes })
    if (!put.ok) throw new Error(`storing ${key} answered ${put.status}`)
  }
}

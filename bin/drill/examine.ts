/** Checks of a restored stage. */
import { createHash } from 'node:crypto'
import { describeTable } from '../../adapters/aws/deployment/table-restores.ts'
import { readSecret } from '../../adapters/aws/secrets.ts'
import { storage } from '../../adapters/aws/storage.ts'
import { users } from '../../adapters/dynamo/account/users.ts'
import { restorePoints } from '../../adapters/dynamo/files/restore-points.ts'
import { instances } from '../../adapters/dynamo/instance/instances.ts'
import { books } from '../../adapters/dynamo/wallet/books.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import type { Env } from '../../adapters/env.ts'
import { type SecretName, secrets } from '../../adapters/registry.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import { chunkList, indexLine, type StoredPoint } from '../../domain/files/restore-point.ts'
import { chunkKey, chunksKey, indexKey, maxBytes } from '../../domain/files/storage.ts'
import { stageSecretId } from '../stage-secrets.ts'
import type { SideTable } from './side-tables.ts'

/** `seen` says in words what was checked. */
export interface Examined {
  seen: string
  problems: string[]
}

/** Compares keys and indexes of each restored table with its source. */
export async function examineTables(all: readonly SideTable[]): Promise<Examined> {
  const problems: string[] = []
  for (const { source, target } of all) {
    const [before, after] = [await describeTable(source), await describeTable(target)]
    if (JSON.stringify(before?.shape) !== JSON.stringify(after?.shape))
      problems.push(`${target} and ${source} have different keys or indexes`)
  }
  return { seen: `tables with keys and indexes: ${all.length}`, problems }
}

/** Adds up every wallet's ledger, and reads the account and the instance that belong to it. */
export async function examineBooks(env: Env): Promise<Examined & { owners: string[] }> {
  const owners: string[] = []
  const problems: string[] = []
  const [money, people, machines] = [wallets(env), users(env), instances(env)]
  let lines = 0
  for await (const userId of books(env).owners()) {
    owners.push(userId)
    const failed = (error: unknown) =>
      void problems.push(`${userId}: ${error instanceof Error ? error.message : error}`)
    const audit = await auditWallet({ wallets: money }, userId).catch(failed)
    lines += audit?.lines ?? 0
    if (audit?.differences.length) problems.push(`${userId}: ${audit.differences.join('; ')}`)
    await people.find(userId).catch(failed)
    await machines.find(userId).catch(failed)
  }
  return { seen: `wallets: ${owners.length}; lines in their ledgers: ${lines}`, problems, owners }
}

/** Volumes whose newest restore point is fetched completely. */
const mostVolumes = 5

/** Fetches the newest restore points as a restoring machine would, and compares every piece with its hash. */
export async function examineVolumes(env: Env, owners: readonly string[]): Promise<Examined> {
  const problems: string[] = []
  const sum = { points: 0, pieces: 0, files: 0 }
  for (const userId of owners) {
    if (sum.points === mostVolumes) break
    const newest = (await restorePoints(env).list(userId)).find(({ state }) => state === 'ready')
    if (!newest) continue
    sum.points += 1
    try {
      const { pieces, files } = await fetchPoint(env, newest)
      sum.pieces += pieces
      sum.files += files
    } catch (error) {
      problems.push(`restore point ${newest.id}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const summary = `newest restore points of volumes: ${sum.points}; files: ${sum.files}; pieces: ${sum.pieces}`
  return { seen: summary, problems }
}

/** @throws when an object is missing or differs from what was stored */
async function fetchPoint(env: Env, { instanceId, id }: StoredPoint): Promise<{ pieces: number; files: number }> {
  const objects = storage(env)
  const list = await objects.read(chunksKey(instanceId, id), 0, maxBytes.chunks)
  const pieces = chunkList.parse(JSON.parse(Buffer.from(list).toString()))
  let bytes = 0
  for (const { sha256, size } of pieces) {
    const piece = await objects.read(chunkKey(instanceId, sha256), 0, maxBytes.chunk)
    if (piece.length !== size || createHash('sha256').update(piece).digest('hex') !== sha256)
      throw new Error(`the piece ${sha256} differs from its hash`)
    bytes += size
  }
  let files = 0
  for await (const line of objects.lines(indexKey(instanceId, id))) {
    const { p, o, s } = indexLine.parse(JSON.parse(line))
    if (o + s > bytes) throw new Error(`${p} is longer than the stored pieces`)
    files += 1
  }
  return { pieces: pieces.length, files }
}

/** Checks that each of the stage's secrets has a readable value. No value is shown. */
export async function examineSecrets(stage: string): Promise<Examined> {
  const problems: string[] = []
  const names = Object.keys(secrets) as SecretName[] // safe because secrets is a closed record of its own keys
  for (const name of names)
    await stageSecretId(stage, name)
      .then(readSecret)
      .catch((error: Error) => problems.push(`${name} cannot be read: ${error.name}`))
  return { seen: `secrets: ${names.length}`, problems }
}

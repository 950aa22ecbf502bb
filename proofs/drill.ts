/**
 * `npm run prove drill`: the restore drill as an operator runs it, against moto (PyPI) in place of AWS: the tables of
 * the synthesised template, with accounts, money and a restore point that the service's own adapters wrote. The
 * emulator restores the present data for any instant.
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation'
import {
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateContinuousBackupsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { DeleteSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { parameter } from '../adapters/aws/deployment/account.ts'
import { resourcesOf } from '../adapters/aws/deployment/removal.ts'
import { users } from '../adapters/dynamo/account/users.ts'
import { restorePoints } from '../adapters/dynamo/files/restore-points.ts'
import { type TableName, tableEnv } from '../adapters/dynamo/tables.ts'
import { walletKey } from '../adapters/dynamo/wallet/item.ts'
import { wallets } from '../adapters/dynamo/wallet/wallets.ts'
import { readEnv } from '../adapters/env.ts'
import { type SecretName, secrets } from '../adapters/registry.ts'
import { creditByHand } from '../app/operator/money.ts'
import { sideName, sideTables } from '../bin/drill/side-tables.ts'
import { chunkKey, chunksKey, indexKey } from '../domain/files/storage.ts'
import { type Prefix, ulid } from '../domain/ids.ts'
import { iso } from '../domain/time.ts'
import { drillParameter } from '../lib/parameters.ts'
import { deployments } from '../test/lib/synthesis.ts'
import { startCloud } from './deploy/cloud.ts'
import { startMoto } from './tools/moto.ts'
import { createSecret } from './tools/secrets.ts'

const top = join(import.meta.dirname, '..')
const stage = 'drilled'
const file = join(top, 'stages', `${stage}.json`)
const moto = await startMoto()
const emulator = await startCloud(moto.url)
const cloud = {
  AWS_ENDPOINT_URL: emulator.url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
Object.assign(process.env, cloud)
const db = new DynamoDBClient()
const s3 = new S3Client({ forcePathStyle: true })

/** The tables and the bucket of the stage's stack, and its secrets, which the emulator creates from no template. */
async function makeState(): Promise<void> {
  const { production } = await deployments()
  const types = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket']
  const wanted = types.flatMap((type) => production.ofType(type))
  const Resources = Object.fromEntries(
    wanted.map(([id, { Type, Properties }]) => [
      id,
      { Type, ...(Type !== 'AWS::S3::Bucket' ? { Properties } : { Properties: {} }) },
    ]),
  )
  const TemplateBody = JSON.stringify({ Resources })
  await new CloudFormationClient().send(new CreateStackCommand({ StackName: `berth-${stage}-state`, TemplateBody }))
}

await makeState()
const vault = new SecretsManagerClient()
const secretNames = Object.keys(secrets) as SecretName[] // safe because secrets is a closed record of its own keys
for (const name of secretNames) await createSecret(stage, name, '{}')
const state = await resourcesOf(`berth-${stage}-state`)
const tables = sideTables(stage, state)
for (const { source } of tables)
  await db.send(
    new UpdateContinuousBackupsCommand({
      TableName: source,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  )
// The emulator's tables can be restored only to the instant at which recovery was turned on.
const nowSeconds = Math.floor(Date.now() / 1_000)
emulator.answers.DescribeContinuousBackups = {
  ContinuousBackupsDescription: {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: {
      PointInTimeRecoveryStatus: 'ENABLED',
      EarliestRestorableDateTime: nowSeconds - 86_400,
      LatestRestorableDateTime: nowSeconds - 300,
    },
  },
}
const Bucket = state.find(({ type }) => type === 'AWS::S3::Bucket')?.name ?? ''
const env = readEnv({
  ...Object.fromEntries(tables.map(({ table, source }) => [tableEnv(table), source])),
  FILES_BUCKET: Bucket,
})
const sourceOf = (table: TableName): string => tables.find((each) => each.table === table)?.source ?? ''

const newId = (prefix: Prefix): string => `${prefix}_${ulid(Date.now(), randomBytes(10))}`

/** A user with money, and a volume of two files in one piece. */
const [userId, instanceId, pointId] = [newId('usr'), newId('ins'), newId('rsp')]
await users(env).findOrCreate('ada@example.com', userId, Date.now())
await creditByHand({ wallets: wallets(env) }, { userId, key: 'first', micros: 5_000_000, reason: 'proof' }, Date.now())
const piece = Buffer.from('firstsecond')
const sha256 = createHash('sha256').update(piece).digest('hex')
const put = (Key: string, Body: string | Buffer) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
const lines = [
  { p: 'a.txt', s: 5, m: 0, x: 420, o: 0 },
  { p: 'b.txt', s: 6, m: 0, x: 420, o: 5 },
]
await put(chunkKey(instanceId, sha256), piece)
await put(chunksKey(instanceId, pointId), JSON.stringify([{ sha256, size: piece.length }]))
await put(indexKey(instanceId, pointId), gzipSync(lines.map((line) => JSON.stringify(line)).join('\n')))
await restorePoints(env).add(userId, {
  id: pointId,
  instanceId,
  taskId: newId('tsk'),
  state: 'making',
  reason: 'daily',
  createdAt: iso(Date.now()),
  completedAt: null,
  summary: null,
  newBytes: null,
  failure: null,
})
await restorePoints(env).finish(userId, pointId, {
  state: 'ready',
  completedAt: iso(Date.now()),
  summary: null,
  newBytes: piece.length,
  failure: null,
})

/** Tables that belong to no stack. */
const restored = async (): Promise<string[]> => {
  const { TableNames = [] } = await db.send(new ListTablesCommand({}))
  return TableNames.filter((name) => name.startsWith(`berth-${stage}-drill-`))
}

const problems: string[] = []
async function run(
  what: string,
  wanted: { args?: string[]; says: RegExp; exit?: number; left?: number; noted?: boolean },
) {
  const { args = [], says, exit = 0, left = 0, noted = false } = wanted
  const before = await parameter(drillParameter(stage))
  const child = spawn(process.execPath, [join(top, 'bin/drill.ts'), '--stage', stage, ...args], {
    env: { PATH: process.env.PATH, ...cloud },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const isNoted = (await parameter(drillParameter(stage))) !== before
  const there = (await restored()).length
  const right = status === exit && says.test(out + err) && there === left && isNoted === noted
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, ${there} tables left, noted ${isNoted}\n${out}${err}`)
}

const setAvailable = (amount: string) =>
  db.send(
    new UpdateItemCommand({
      TableName: sourceOf('wallets'),
      Key: Object.fromEntries(Object.entries(walletKey(userId)).map(([name, value]) => [name, { S: String(value) }])),
      UpdateExpression: 'SET available = :amount',
      ExpressionAttributeValues: { ':amount': { N: amount } },
    }),
  )

try {
  const settings = {
    account: '123456789012',
    region: 'eu-central-1',
    mailFrom: 'a@b.example',
    alarmMail: 'a@b.example',
  }
  writeFileSync(file, JSON.stringify(settings))
  const isWell = new RegExp(
    `ok +tables [^\\n]*: ${tables.length}\\nok +wallets: 1; [^\\n]*: 1\\nok +newest [^\\n]*: 1; files: 2; pieces: 1\\n` +
      `ok +secrets: ${secretNames.length}\\n\\nA disaster now would lose[\\s\\S]*Nothing is missing`,
  )
  await run('restores all, looks at it, notes the day and deletes it', { says: isWell, noted: true })
  await run('keeps the tables when it is asked to', {
    args: ['--keep'],
    says: /The restored tables stay: berth-drilled-drill-/,
    left: tables.length,
    noted: true,
  })
  await run('begins with what the one before left', { says: /Deleted \d+ tables of an earlier drill/, noted: true })
  await run('takes no instant that cannot be gone back to', {
    args: ['--at', '2020-01-01T00:00:00Z'],
    says: /can be restored to any instant from/,
    exit: 1,
  })
  await run('says how it is used', { args: ['--at', 'yesterday'], says: /--at <instant>/, exit: 1 })
  await setAvailable('4999999')
  await run('finds books that do not add up', {
    says: /wrong +wallets: 1[\s\S]*available[\s\S]*1 problems/,
    exit: 1,
  })
  await setAvailable('5000000')
  await put(chunkKey(instanceId, sha256), 'firstSecond')
  await run('finds a piece of a volume that is not what was stored', { says: /differs from its hash/, exit: 1 })
  await put(chunkKey(instanceId, sha256), piece)
  await vault.send(new DeleteSecretCommand({ SecretId: `berth/${stage}/stripe` }))
  await run('finds a secret that is gone', { says: /wrong +secrets[\s\S]*stripe cannot be read/, exit: 1 })
  const TableName = sourceOf('audit')
  await db.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
  await db.send(new DeleteTableCommand({ TableName }))
  await run('says which table it could not restore, and leaves nothing', {
    says: /audit\w+-\w+ could not be restored: [\s\S]*Run this again/,
    exit: 1,
  })
  const other = sideName(`${stage}-drill`, 'wallets')
  if (tables.some(({ target }) => target === other)) problems.push(`${other} would be taken for a table of the drill`)
} finally {
  rmSync(file, { force: true })
  emulator.stop()
  await moto.stop()
  for (const problem of problems) console.log(`\n${problem}`)
}
process.exitCode = problems.length > 0 ? 1 : 0

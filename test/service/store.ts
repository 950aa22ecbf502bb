import { readdirSync, readFileSync } from 'node:fs'
import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  ListTablesCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'

const commandOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return [] // the process has ended
  }
}

/** The store of a service, by its data folder: the engine's process and its port. */
export function engineOf(dataDir = process.env.BERTH_DATA_DIR ?? 'nowhere'): { pid: number; port: string } {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const command = commandOf(pid)
    const port = command[command.indexOf('-p') + 1]
    if (command.includes('--db-path') && command.some((part) => part.startsWith(dataDir)) && port) {
      return { pid: Number(pid), port }
    }
  }
  throw new Error(`no store of ${dataDir} runs`)
}

/** Works on a table of the running service's store directly. */
async function withTable(
  pattern: RegExp,
  work: (client: DynamoDBClient, table: string | undefined) => Promise<unknown>,
): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: process.env.DYNAMODB_ENDPOINT ?? `http://127.0.0.1:${engineOf().port}`,
    region: 'us-east-1',
    // DynamoDB Local keeps a database for each access key, and this is the service's.
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const { TableNames = [] } = await client.send(new ListTablesCommand({}))
  await work(
    client,
    TableNames.find((name) => pattern.test(name)),
  )
  client.destroy()
}

/** Changes an item of a table. */
const set = (table: RegExp, key: Record<string, string>, attribute: string, value: AttributeValue): Promise<void> =>
  withTable(table, (client, TableName) =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key: Object.fromEntries(Object.entries(key).map(([part, text]) => [part, { S: text }])),
        UpdateExpression: 'SET #attribute = :value',
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#attribute': attribute, '#key': Object.keys(key)[0] ?? '' },
        ExpressionAttributeValues: { ':value': value },
      }),
    ),
  )

/** Lets a token expire. No operation can: the shortest lifetime is a day. */
export const expireToken = (id: string): Promise<void> =>
  set(/tokens/i, { id }, 'expiresAt', { S: new Date(Date.now() - 1_000).toISOString() })

/** Changes the sign-in of a session to eleven minutes ago. */
export const ageSession = (id: string): Promise<void> =>
  set(/sessions/i, { id }, 'createdAt', { S: new Date(Date.now() - 11 * 60_000).toISOString() })

/** Removes all money from a wallet at once. */
export const emptyWallet = (userId: string): Promise<void> =>
  set(/wallets/i, { userId, item: 'wallet' }, 'available', { N: '0' })

/** Suspends all spending of a wallet, as an operator does. */
export const suspendWallet = (userId: string): Promise<void> =>
  set(/wallets/i, { userId, item: 'wallet' }, 'frozen', { S: 'fraud' })

/** Clears the rate windows of sessions, strangers and machines: a test does more in a minute than a person. */
export async function forgetRates(): Promise<void> {
  await forgetMachineRates()
  await withTable(/rates/i, async (client, TableName) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName, ProjectionExpression: 'subject' }))
    for (const { subject } of Items)
      if (subject?.S && /^(sessions|stranger)#/.test(subject.S))
        await client.send(new DeleteItemCommand({ TableName, Key: { subject } }))
  })
}

const forgetMachineRates = (): Promise<void> =>
  withTable(/instances/i, async (client, TableName) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName }))
    for (const { userId, ...item } of Items) {
      const buckets = Object.keys(item).filter((name) => name.startsWith('w_'))
      if (userId && buckets.length > 0)
        await client.send(
          new UpdateItemCommand({ TableName, Key: { userId }, UpdateExpression: `REMOVE ${buckets.join(', ')}` }),
        )
    }
  })

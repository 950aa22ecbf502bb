/** The place where a command works: the running local service, its stored data, or a cloud account. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readSecret, writeSecret } from '../../adapters/aws/secrets.ts'
import { listTables, regionOf } from '../../adapters/dynamo/list-tables.ts'
import { tableEnv } from '../../adapters/dynamo/tables.ts'
import { type Env, readEnv } from '../../adapters/env.ts'
import type { SecretName } from '../../adapters/registry.ts'
import { startEngine } from '../../local/dynamodb/engine.ts'
import { stageSecretId } from '../stage-secrets.ts'

const repo = join(import.meta.dirname, '../..')

export const used = [
  'wallets',
  'audit',
  'console',
  'users',
  'rollouts',
  'denied',
  'trials',
  'instances',
  'logins',
  'events',
] as const

/** @throws when a table of the service is missing or exists twice */
export async function openPlace(stage?: string) {
  const close = stage ? async () => {} : await useLocal(resolve(repo, process.env.DATA_DIR || '.berth'))
  try {
    const env = envOf(await listTables(), stage)
    if (stage) console.error(`On ${env.table('wallets')} in ${await regionOf()}.`)
    return { env, secrets: secretsOf(stage), close }
  } catch (error) {
    await close()
    throw error
  }
}

export interface SecretsPlace {
  /** The origin of the local service; undefined for a deployment. */
  origin: string | undefined
  read(name: SecretName): Promise<unknown>
  write(name: SecretName, value: object): Promise<void>
}

function secretsOf(stage: string | undefined): SecretsPlace {
  const idOf = async (name: SecretName): Promise<string> => {
    if (stage) return stageSecretId(stage, name)
    if (!process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER)
      throw new Error('The secrets of the local service are available only while it runs. Start it with npm start.')
    return `berth/local/${name}`
  }
  return {
    origin: stage ? undefined : `http://127.0.0.1:${process.env.PORT || 8787}`,
    read: async (name) => readSecret(await idOf(name)),
    write: async (name, value) => writeSecret(await idOf(name), value),
  }
}

/** The running service says where its database is. If no service runs, this starts the database. */
async function useLocal(dataDir: string): Promise<() => Promise<void>> {
  const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
  const running = await endpointOf(dataDir, 'dynamodb.endpoint')
  const engine = running ? null : await startEngine(repo, dataDir, (line) => console.error(line))
  Object.assign(process.env, credentials, {
    AWS_ENDPOINT_URL_DYNAMODB: running ?? engine?.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: (await endpointOf(dataDir, 'secrets.endpoint')) ?? '',
  })
  return async () => engine?.stop()
}

async function endpointOf(dataDir: string, file: string): Promise<string | null> {
  try {
    const endpoint = readFileSync(join(dataDir, 'data', file), 'utf8').trim()
    // A stopped service refuses at once; a busy one may take seconds.
    const answered = await fetch(endpoint, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
    return answered ? endpoint : null
  } catch {
    return null
  }
}

/**
 * CloudFormation names a table after its stack: `berth-prod-state-Tableswallets0A1B2C3D-…`. Tables of a deleted stack
 * remain: a variable such as WALLETS_TABLE then says which table to use.
 */
function envOf(names: string[], stage = 'local'): Env {
  const entries = used.map((name): [string, string] => {
    const ofStage = new RegExp(`^(berth-${stage}-state-Tables)?${name}([0-9A-F]{8}.*)?$`, 'i')
    const all = names.filter((full) => ofStage.test(full))
    const [table, ...others] = process.env[tableEnv(name)]
      ? all.filter((full) => full === process.env[tableEnv(name)])
      : all
    if (!table)
      throw new Error(
        stage === 'local'
          ? `There is no table ${name}. Start the service once.`
          : `The stage ${stage} has no table ${name} here. Choose the account with AWS_PROFILE and AWS_REGION.`,
      )
    if (others.length > 0)
      throw new Error(`There is more than one table ${name}: ${all.join(', ')}. Choose one: ${tableEnv(name)}=….`)
    return [tableEnv(name), table]
  })
  const facts = { STAGE: 'admin', PUBLIC_ORIGIN: 'http://localhost', CELL: '00', IMAGE_VERSION: '0' }
  return readEnv({ ...Object.fromEntries(entries), ...facts })
}

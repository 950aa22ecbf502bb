import { join } from 'node:path'
import { type Env, readEnv } from '../adapters/env.ts'
import { termsText } from '../domain/trial/terms.ts'
import { type AwsOptions, secretArn } from '../emulators/aws/emulator.ts'
import { testCloud } from '../emulators/aws/test/cloud.ts'

export const origin = 'http://localhost'
export const edgeKey = 'e'.repeat(64)

const arn = (service: string, resource: string) => `arn:aws:${service}:us-east-1:000000000000:${resource}`

/** The environment of a function that has every adapter; the tables belong to the store. */
export const env: Env = readEnv({
  STAGE: 'test',
  PUBLIC_ORIGIN: origin,
  CELL: 'T0',
  IMAGE_VERSION: '1',
  BUS_NAME: 'berth-test',
  MAIL_FROM: 'berth@example.com',
  ABUSE_MAIL: 'abuse@example.com',
  OPERATORS: 'operator@example.com',
  OPERATOR_MAX_CENTS: '10000',
  OPERATOR_MAX_DAY_CENTS: '50000',
  TRIAL: termsText({ budgetMicros: 10 ** 9, creditMicros: 250_000, hours: 24, perNetwork: 10_000, perDomain: 10_000 }),
  RUNTIMES: 'reference,pi,opencode',
  API_BASE: 'http://127.0.0.1:8787/api',
  SOCKET_API: 'http://127.0.0.1:1/socket',
  CLUSTER_ARN: arn('ecs', 'cluster/machines'),
  FILE_SYSTEM_ID: 'fs-1',
  FILE_SYSTEM_ARN: arn('elasticfilesystem', 'file-system/fs-1'),
  SUBNET_IDS: 'subnet-1,subnet-2',
  SECURITY_GROUP_ID: 'sg-1',
  AGENT_IMAGE: 'agent',
  AGENT_LOG_GROUP: 'machines',
  EXECUTION_ROLE_ARN: 'arn:aws:iam::000000000000:role/execution',
  TASK_BOUNDARY_ARN: 'arn:aws:iam::000000000000:policy/boundary',
  MACHINE_ROLE_PATH: '/berth/test/machines/',
  FILES_BUCKET: 'berth-files',
  VARIABLES_KEY_ARN: arn('kms', 'key/variables'),
  BUS_ARN: arn('events', 'event-bus/berth-test'),
  SCHEDULE_GROUP: 'berth-test',
  SCHEDULER_ROLE_ARN: 'arn:aws:iam::000000000000:role/scheduler',
  SCHEDULES_DEAD_LETTERS: 'arn:aws:sqs:us-east-1:000000000000:schedules',
  STRIPE_SECRET_ARN: secretArn('us-east-1', 'stripe'),
  TELEGRAM_SECRET_ARN: secretArn('us-east-1', 'telegram'),
  SLACK_SECRET_ARN: secretArn('us-east-1', 'slack'),
  DISCORD_SECRET_ARN: secretArn('us-east-1', 'discord'),
  PROVIDERS_SECRET_ARN: secretArn('us-east-1', 'providers'),
  MACHINE_TOKEN_KEYS_SECRET_ARN: secretArn('us-east-1', 'machine-token-keys'),
  CURSOR_KEY_SECRET_ARN: secretArn('us-east-1', 'cursor-key'),
  HOOK_KEY_SECRET_ARN: secretArn('us-east-1', 'hook-key'),
  NOTIFICATION_KEY_SECRET_ARN: secretArn('us-east-1', 'notification-key'),
  EDGE_KEY_SECRET_ARN: secretArn('us-east-1', 'edge-key'),
})

/** The chat secrets of a stage that uses only Telegram; no server listens at its API address. */
export const chatSecrets = {
  telegram: { token: '1:tests', webhookSecret: 'tests', username: 'berth_bot', apiBase: 'http://127.0.0.1:9' },
  slack: { appId: '', clientId: '', clientSecret: '', signingSecret: '' },
  discord: { applicationId: '', publicKey: '', botToken: '', gatewayKey: '' },
}

/** The program of a machine in tests. */
export const agent = join(import.meta.dirname, 'agent-program.mjs')

/** The local AWS with the secrets that authenticate callers, and the unmodified SDKs configured for it. */
export async function openCloud(options: Partial<AwsOptions> = {}) {
  const cloud = await testCloud({
    taskCommand: ({ command }) => ({
      file: process.execPath,
      args: [agent, ...(command ?? [])],
      cwd: import.meta.dirname,
      environment: { BERTH_MODEL: 'of/image', BERTH_RUNTIME: 'of-image' },
    }),
    volumeVariable: 'BERTH_VOLUME',
    ...options,
  })
  Object.assign(process.env, cloud.cloud.env)
  await cloud.cloud.putSecret('machine-token-keys', JSON.stringify({ current: 'k'.repeat(64) }))
  await cloud.cloud.putSecret('cursor-key', JSON.stringify({ key: 'c'.repeat(64) }))
  await cloud.cloud.putSecret('hook-key', JSON.stringify({ key: 'h'.repeat(64) }))
  await cloud.cloud.putSecret('notification-key', JSON.stringify({ key: 'n'.repeat(64) }))
  for (const [name, value] of Object.entries(chatSecrets)) await cloud.cloud.putSecret(name, JSON.stringify(value))
  await cloud.cloud.putSecret('edge-key', JSON.stringify({ key: edgeKey }))
  return cloud
}

import { type Env, readEnv } from '../../../adapters/env.ts'
import { secretArn } from '../../../local/aws/endpoints.ts'
import { type TestCloud, testCloud } from '../../local/aws/cloud.ts'

/** The environment that a function with every adapter of AWS would have in the local cloud. */
export const env: Env = readEnv({
  STAGE: 'test',
  PUBLIC_ORIGIN: 'http://localhost',
  CELL: 'T0',
  IMAGE_VERSION: '1',
  BUS_NAME: 'berth-test',
  MAIL_FROM: 'berth@example.com',
  API_BASE: 'http://127.0.0.1:8787/api',
  CLUSTER_ARN: 'arn:aws:ecs:us-east-1:000000000000:cluster/machines',
  FILE_SYSTEM_ID: 'fs-1',
  FILE_SYSTEM_ARN: 'arn:aws:elasticfilesystem:us-east-1:000000000000:file-system/fs-1',
  SUBNET_IDS: 'subnet-1,subnet-2',
  SECURITY_GROUP_ID: 'sg-1',
  AGENT_IMAGE: 'agent:1',
  AGENT_LOG_GROUP: 'machines',
  EXECUTION_ROLE_ARN: 'arn:aws:iam::000000000000:role/execution',
  TASK_BOUNDARY_ARN: 'arn:aws:iam::000000000000:policy/boundary',
  MACHINE_ROLE_PATH: '/berth/test/machines/',
  FILES_BUCKET: 'berth-files',
  VARIABLES_KEY_ARN: 'arn:aws:kms:us-east-1:000000000000:key/variables',
  BUS_ARN: 'arn:aws:events:us-east-1:000000000000:event-bus/berth-test',
  SCHEDULE_GROUP: 'berth-test',
  SCHEDULER_ROLE_ARN: 'arn:aws:iam::000000000000:role/scheduler',
  STRIPE_SECRET_ARN: secretArn('us-east-1', 'stripe'),
  PROVIDERS_SECRET_ARN: secretArn('us-east-1', 'providers'),
  MACHINE_TOKEN_KEYS_SECRET_ARN: secretArn('us-east-1', 'machine-token-keys'),
  CURSOR_KEY_SECRET_ARN: secretArn('us-east-1', 'cursor-key'),
  EDGE_KEY_SECRET_ARN: secretArn('us-east-1', 'edge-key'),
})

/** The local cloud, with the unmodified SDKs pointed at it. */
export async function startPlace(): Promise<TestCloud> {
  const place = await testCloud()
  Object.assign(process.env, place.cloud.env)
  return place
}

import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Emulator, EmulatorOptions, RunningEmulator } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { type Authorizer, OWNER } from './authorization.ts'
import type { TaskCommand } from './ecs/launch.ts'
import { Runner } from './ecs/runner.ts'
import { type TaskDefinition, TaskDefinitions } from './ecs/task-definitions.ts'
import { refusalOfTask } from './ecs/task-roles.ts'
import { taskActions } from './ecs/tasks.ts'
import { FileSystems } from './efs.ts'
import { Endpoint, type Mounted } from './endpoint.ts'
import { type CloudEvent, eventActions } from './eventbridge.ts'
import { FaultInjector, type FaultInput } from './faults.ts'
import { Roles } from './iam.ts'
import { keyActions, wrappedBy } from './kms.ts'
import { logActions } from './logs.ts'
import type { Known } from './needs.ts'
import { secretAccessKey } from './presigned-url.ts'
import { jsonService } from './protocols.ts'
import { startObjects } from './s3.ts'
import { Scheduler } from './scheduler.ts'
import { Secrets } from './secrets-manager.ts'
import { type Mail, type Sending, startMailbox } from './ses.ts'

export { runsApart } from './ecs/apart.ts'
export type { CloudEvent } from './eventbridge.ts'
export { secretArn } from './secrets-manager.ts'
export type { Mail, Sending } from './ses.ts'

export interface AwsOptions extends EmulatorOptions {
  /** The folder of volumes, objects, logs and all other state. */
  stateFolder: string
  /** How a container image runs on this host. `file` must be a Node executable. */
  taskCommand: TaskCommand
  /** How long a task is PENDING before its containers start, ms; 0 unless said. */
  pendingMs?: number
  /** Names the environment variable that gives a task the folder of its volume; default `VOLUME`. */
  volumeVariable?: string
  /** The field of a JSON log line that holds its time (ISO 8601); default `timestamp`. */
  logTimeField?: string
  /** Receives bounces and complaints; without it they are not reported. */
  sending?: () => Sending
  /** Every event of EventBridge: those ECS and SES make and those PutEvents brings. */
  onEvent: (event: CloudEvent) => void
  /**
   * Asked before every call is answered, and for roles that services act by; without it everybody may do everything.
   */
  authorizer?: Authorizer
  /** Every call that names an action, before it is answered. */
  onCall?: (service: string, action: string) => void
  /** Default us-east-1. */
  region?: string
  /** Names of the ECS clusters that exist; default: any. */
  clusters?: string[]
  /** Ids of the EFS file systems that exist; default: any. */
  fileSystems?: string[]
}

export interface RunningAws extends RunningEmulator {
  /**
   * The environment that directs an unmodified SDK here: AWS_ENDPOINT_URL_<SERVICE>, a region, and keys without rights.
   */
  env: Record<string, string>
  mails(to?: string): Mail[]
  putSecret(name: string, value: string): Promise<void>
  /** Makes the next calls of an action fail. */
  injectFault(fault: FaultInput): void
  /** Fires a schedule of EventBridge Scheduler now; false when there is none of this name. */
  fireSchedule(name: string): boolean
  /** Emits the STOPPED event of every task that the last run left; call it once somebody takes events. */
  reportStoppedTasks(): void
}

/** Bytes of an object. */
const OBJECT_LIMIT = 256 * 1024 * 1024

/** Starts the AWS services on one port of 127.0.0.1, each below a path of its own. */
export const awsEmulator: Emulator<AwsOptions, RunningAws> = { name: 'aws', start }

async function start(options: AwsOptions): Promise<RunningAws> {
  const { stateFolder, log = () => {}, region = 'us-east-1', authorizer, onCall } = options
  const emit = guarded(options.onEvent, log)
  const at = (name: string) => join(stateFolder, name)
  const { sending = () => ({ configurationSetOf: () => undefined, eventsOf: () => [] }) } = options
  const mailbox = startMailbox({ file: at('mail.json'), log, region, emit, sending })
  const secrets = new Secrets({ file: at('secrets.json'), region })
  const fileSystems = new FileSystems({ file: at('efs.json'), region, known: options.fileSystems })
  const definitions = new TaskDefinitions({ file: at('task-definitions.json'), region })
  const roles = new Roles(at('iam.json'))
  const faults = new FaultInjector()
  const { taskCommand, pendingMs = 0, volumeVariable = 'VOLUME', logTimeField = 'timestamp' } = options
  const mayStart = (definition: TaskDefinition) => authorizer && refusalOfTask(definition, authorizer, roles, region)
  const host = { stateFolder, taskCommand, volumeVariable, fileSystems }
  const runner = new Runner({ ...host, region, log, emit, pendingMs, faults, mayStart })
  const tasks = taskActions({ region, clusters: options.clusters, definitions, runner })
  const scheduler = new Scheduler({ file: at('schedules.json'), region, emit, log, authorizer })
  const logs = logActions({ stateFolder, definitions: () => definitions.all(), timeField: logTimeField })

  const known: Known = {
    region,
    secretArn: (id) => secrets.arnOf(id),
    role: (name) => roles.find(name),
    accessPointTags: (id) => fileSystems.tags(id),
    definition: (name) => definitions.find(name),
    wrappedBy,
  }

  const mounts: Record<string, Mounted> = {
    ecs: { service: jsonService({ ...definitions.actions, ...tasks }), protocol: 'json' },
    efs: { service: (call) => fileSystems.answer(call), protocol: 'rest' },
    eventbridge: { service: jsonService(eventActions({ region, emit })), protocol: 'json' },
    iam: { service: (call) => roles.answer(call), protocol: 'query' },
    kms: { service: jsonService(keyActions({ file: at('kms.json') })), protocol: 'json' },
    logs: { service: jsonService(logs), protocol: 'json' },
    s3: { service: startObjects({ folder: at('objects') }), protocol: 's3', limit: OBJECT_LIMIT },
    scheduler: { service: (call) => scheduler.answer(call), protocol: 'rest' },
    secretsmanager: { service: jsonService(secrets.actions), protocol: 'json' },
    sesv2: { service: mailbox.service, protocol: 'rest' },
  }
  const endpoint = new Endpoint({ mounts, known, faults, authorizer, onCall, log })
  const server = createServer((request, response) => void endpoint.handle(request, response))
  const apiBase = await listen(server, options.port)

  return {
    apiBase,
    routes: Object.keys(mounts).map((name) => `/${name}`),
    env: environment(apiBase, region),
    mails: mailbox.mails,
    putSecret: async (name, value) => secrets.put(name, value),
    injectFault: (fault) => faults.add(fault),
    fireSchedule: (name) => scheduler.fire(name),
    reportStoppedTasks: () => runner.reportStopped(),
    async stop() {
      scheduler.close()
      await runner.close()
      await close(server)
    },
  }
}

function environment(url: string, region: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: OWNER,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_ECS: `${url}/ecs`,
    AWS_ENDPOINT_URL_EFS: `${url}/efs`,
    AWS_ENDPOINT_URL_EVENTBRIDGE: `${url}/eventbridge`,
    AWS_ENDPOINT_URL_IAM: `${url}/iam`,
    AWS_ENDPOINT_URL_KMS: `${url}/kms`,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: `${url}/logs`,
    AWS_ENDPOINT_URL_S3: `${url}/s3`,
    AWS_ENDPOINT_URL_SCHEDULER: `${url}/scheduler`,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `${url}/secretsmanager`,
    AWS_ENDPOINT_URL_SESV2: `${url}/sesv2`,
  }
}

/** The consumer of events must not be able to break the service that reports them. */
function guarded(onEvent: (event: CloudEvent) => void, log: (line: string) => void) {
  return (event: CloudEvent) => {
    try {
      onEvent(event)
    } catch (error) {
      log(`event ${event['detail-type']} was not taken: ${error}`)
    }
  }
}

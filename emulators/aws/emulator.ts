import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Emulator, EmulatorOptions, RunningEmulator } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { type Authorizer, accessKeyOf, OWNER } from './authorization.ts'
import { startRunner, type TaskCommand } from './ecs/runner.ts'
import { startTaskDefinitions } from './ecs/task-definitions.ts'
import { refusalOfTask } from './ecs/task-roles.ts'
import { taskActions } from './ecs/tasks.ts'
import { startFileSystems } from './efs.ts'
import { type CloudEvent, eventActions } from './eventbridge.ts'
import { FaultInjector, type FaultInput } from './faults.ts'
import { startRoles } from './iam.ts'
import { keyActions, wrappedBy } from './kms.ts'
import { logActions } from './logs.ts'
import { type Known, listBucket, needs } from './needs.ts'
import { isValidPresignedUrl, secretAccessKey } from './presigned-url.ts'
import { AwsError, type AwsRequest, errorResponse, jsonService, readBody, type Service, send } from './protocols.ts'
import { startObjects } from './s3.ts'
import { startScheduler } from './scheduler.ts'
import { startSecrets } from './secrets-manager.ts'
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

/** Bytes: API calls, and objects. */
const BODY_LIMIT = 1024 * 1024
const OBJECT_LIMIT = 256 * 1024 * 1024

interface Mounted {
  service: Service
  protocol: keyof typeof errorResponse
  limit: number
}

/** Starts the AWS services on one port of 127.0.0.1, each below a path of its own. */
export const awsEmulator: Emulator<AwsOptions, RunningAws> = { name: 'aws', start }

async function start(options: AwsOptions): Promise<RunningAws> {
  const { stateFolder, log = () => {}, region = 'us-east-1' } = options
  const emit = guarded(options.onEvent, log)
  const at = (name: string) => join(stateFolder, name)

  const { sending = () => ({ configurationSetOf: () => undefined, eventsOf: () => [] }) } = options
  const mailbox = startMailbox({ file: at('mail.json'), log, region, emit, sending })
  const secrets = startSecrets({ file: at('secrets.json'), region })
  const fileSystems = startFileSystems({ file: at('efs.json'), region, known: options.fileSystems })
  const definitions = startTaskDefinitions({ file: at('task-definitions.json'), region })
  const roles = startRoles({ file: at('iam.json') })
  const faults = new FaultInjector()
  const { taskCommand, volumeVariable = 'VOLUME', logTimeField = 'timestamp' } = options
  const runner = startRunner({
    stateFolder,
    region,
    log,
    emit,
    taskCommand,
    pendingMs: options.pendingMs ?? 0,
    volumeVariable,
    fileSystems,
    faults,
    mayStart: (definition) => options.authorizer && refusalOfTask(definition, options.authorizer, roles, region),
  })
  const tasks = taskActions({ region, clusters: options.clusters, definitions, runner })

  const scheduler = startScheduler({ file: at('schedules.json'), region, emit, log, authorizer: options.authorizer })
  const logs = logActions({ stateFolder, definitions: definitions.all, timeField: logTimeField })

  const known: Known = {
    region,
    secretArn: secrets.arnOf,
    role: roles.find,
    accessPointTags: fileSystems.tags,
    definition: definitions.find,
    wrappedBy,
  }

  const mounts: Record<string, Mounted> = {
    ecs: mount(jsonService({ ...definitions.actions, ...tasks }), 'json'),
    efs: mount(fileSystems.service, 'rest'),
    eventbridge: mount(jsonService(eventActions({ region, emit })), 'json'),
    iam: mount(roles.service, 'query'),
    kms: mount(jsonService(keyActions({ file: at('kms.json') })), 'json'),
    logs: mount(jsonService(logs), 'json'),
    s3: mount(startObjects({ folder: at('objects') }), 's3', OBJECT_LIMIT),
    scheduler: mount(scheduler.service, 'rest'),
    secretsmanager: mount(jsonService(secrets.actions), 'json'),
    sesv2: mount(mailbox.service, 'rest'),
  }

  const check: FaultInjector['check'] = (service, action, body) => {
    if (action) options.onCall?.(service, action)
    faults.check(service, action, body)
  }
  const { authorizer } = options
  const authorize: Authorize = (name, signed, call) => {
    const key = accessKeyOf(signed)
    const refusal = authorizer?.refusal(key, needs[name]?.(call, known) ?? [])
    if (refusal) throw spelled(refusal, mounts[name]?.protocol ?? 'json')
    return (error) => {
      if (name !== 's3' || !(error instanceof AwsError) || error.code !== 'NoSuchKey') return error
      return authorizer?.refusal(key, [listBucket(call.path)]) ? unsigned.s3 : error
    }
  }
  const server = createServer((request, response) => void answer(mounts, check, authorize, request, response, log))
  const apiBase = await listen(server, options.port)

  return {
    apiBase,
    routes: Object.keys(mounts).map((name) => `/${name}`),
    env: environment(apiBase, region),
    mails: mailbox.mails,
    putSecret: async (name, value) => secrets.put(name, value),
    injectFault: (fault) => faults.add(fault),
    fireSchedule: (name) => scheduler.fire(name),
    reportStoppedTasks: runner.reportStopped,
    async stop() {
      scheduler.close()
      await runner.close()
      await close(server)
    },
  }
}

const mount = (service: Service, protocol: Mounted['protocol'], limit = BODY_LIMIT): Mounted => ({
  service,
  protocol,
  limit,
})

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

/**
 * Throws for who may not make this call; gives what turns an error of the service into the one that its caller may see.
 */
type Authorize = (service: string, signed: string, call: AwsRequest) => (error: unknown) => unknown

/** A refusal as each protocol's services name it. */
function spelled({ code, message }: AwsError, protocol: Mounted['protocol']): AwsError {
  const denied = code === 'AccessDeniedException'
  if (protocol === 'json') return new AwsError(code, message)
  if (protocol === 'rest') return new AwsError(code, message, 403)
  if (protocol === 'query') return new AwsError(denied ? 'AccessDenied' : 'InvalidClientTokenId', message, 403)
  return new AwsError(denied ? 'AccessDenied' : 'InvalidAccessKeyId', message, 403)
}

async function answer(
  mounts: Record<string, Mounted>,
  check: FaultInjector['check'],
  authorize: Authorize,
  request: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): Promise<void> {
  const requestId = randomUUID()
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const [, name = '', path = '/'] = /^\/([^/]*)(\/.*)?$/.exec(url.pathname) ?? []
  const mounted = Object.hasOwn(mounts, name) ? mounts[name] : undefined
  const protocol = mounted?.protocol ?? 'rest'
  try {
    if (protocol === 's3' && request.headers.origin !== undefined) allowOrigin(response)
    if (protocol === 's3' && request.method === 'OPTIONS') return void response.writeHead(200).end()
    const presigned = protocol === 's3' && isPresigned(request, url)
    if (!presigned && !isLocal(request))
      throw new AwsError('AccessDeniedException', 'Only local programs are answered here.', 403)
    if (!mounted) throw new AwsError('UnknownOperationException', `There is no service ${name} here.`, 404)
    if (!presigned && !request.headers.authorization?.startsWith('AWS4-')) throw unsigned[protocol]
    const body = await readBody(request, mounted.limit)
    if (!body) throw new AwsError('RequestEntityTooLarge', `The request is longer than ${mounted.limit} bytes.`, 413)
    const call = { method: request.method ?? 'GET', path, query: url.searchParams, headers: request.headers, body }
    const signed = request.headers.authorization ?? url.searchParams.get('X-Amz-Credential') ?? ''
    const seen = authorize(name, signed, call)
    check(name, String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '', body.toString('utf8'))
    const reply = await mounted.service(call).catch((error) => {
      throw seen(error)
    })
    send(response, reply, requestId)
  } catch (error) {
    const known =
      error instanceof AwsError ? error : new AwsError('InternalFailure', 'An internal error occurred.', 500)
    if (known !== error) log(`${name} failed: ${error instanceof Error ? error.stack : error}`)
    if (known.status === 413) response.setHeader('connection', 'close')
    send(response, errorResponse[protocol](known, requestId), requestId)
  }
}

/**
 * A page of some site, asking through a browser of this host, names its origin, or a host that only resolves to this
 * one.
 */
const isLocal = ({ headers: { host, origin }, socket }: IncomingMessage): boolean =>
  origin === undefined && (host === `127.0.0.1:${socket.localPort}` || host === `localhost:${socket.localPort}`)

/**
 * A presigned URL is checked; other signatures are not, but their absence is what an SDK without credentials looks
 * like.
 */
const isPresigned = (request: IncomingMessage, url: URL): boolean =>
  url.searchParams.has('X-Amz-Signature') && isValidPresignedUrl(request, url)

/** As a bucket whose rules let any page put objects at presigned URLs. */
function allowOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, PUT')
  response.setHeader('access-control-allow-headers', 'content-type, x-amz-checksum-sha256')
}

const unsigned: Record<Mounted['protocol'], AwsError> = {
  json: new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token'),
  rest: new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403),
  query: new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403),
  s3: new AwsError('AccessDenied', 'Access Denied', 403),
}

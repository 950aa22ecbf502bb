/** `npm start`: the whole service on one computer, as its synthesised template describes it. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Authorizer } from '../emulators/aws/authorization.ts'
import { awsEmulator, type RunningAws, runsApart } from '../emulators/aws/emulator.ts'
import { WebSocketApi } from '../emulators/aws/websocket/api.ts'
import { startEngine } from './dynamodb/engine.ts'
import { startGuard } from './dynamodb/guard.ts'
import { denialLines } from './functions/denials.ts'
import { usedRights } from './functions/principals.ts'
import { createGateway, type Gateway } from './gateway/gateway.ts'
import { readRestApi } from './gateway/rest-api.ts'
import { StartProblem } from './kit/problem.ts'
import { startEcho } from './model/echo.ts'
import { providerSecret } from './model/providers.ts'
import { sendingOf } from './resources/sending.ts'
import { startServices } from './resources/services.ts'
import { bannerLines, routeLines } from './start/banner.ts'
import { type Build, buildOnce, compilePrograms, synthesise } from './start/builds.ts'
import { Deployment, type Parts } from './start/deployment.ts'
import { claimDataDir, defaultOptions, type Options, readOptions } from './start/options.ts'
import { timed } from './start/progress.ts'
import { taskCommand } from './start/task-command.ts'
import { explanation } from './template/properties.ts'
import { readTemplate } from './template/template.ts'
import { startChannels } from './vendors/channels.ts'
import { startPayments } from './vendors/payments.ts'

const repo = join(import.meta.dirname, '..')

export interface Berth {
  url: string
  dataDir: string
  /** Names of the model providers. */
  providers: string[]
  /** Stops everything in reverse order of its start. Data stays. */
  stop(): Promise<void>
}

/** Makes the build; `gateway` already listens. */
export type MakeBuild = (repo: string, options: Options, gateway: Gateway) => Promise<Build>

/** How to stop what has started, the first started first. */
type Stops = (() => unknown)[]

/** Resolves once the service answers. @throws StartProblem for a problem that the caller can fix */
export async function startBerth(
  overrides: Partial<Options> = {},
  env: NodeJS.ProcessEnv = process.env,
  makeBuild: MakeBuild = buildOnce,
): Promise<Berth> {
  const stops: Stops = []
  const stop = async () => {
    for (let end = stops.pop(); end; end = stops.pop()) await end()
  }
  try {
    return { ...(await start({ ...defaultOptions(repo), ...overrides }, env, makeBuild, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(options: Options, env: NodeJS.ProcessEnv, makeBuild: MakeBuild, stops: Stops) {
  const { dataDir, print, progress } = options
  const lock = claimDataDir(options)
  stops.push(lock.release)
  const log = openLog(join(dataDir, 'logs', 'berth.log'))
  const gateway = createGateway(log)
  const url = `http://127.0.0.1:${await gateway.listen(options.port)}`
  stops.push(gateway.close)
  const [build, compiled] = await Promise.all([
    makeBuild(repo, options, gateway),
    timed(progress, 'Programs of machines', compilePrograms(repo)),
  ])
  if (build.stop) stops.push(build.stop)

  const template = readTemplate(build.assembly)
  const { stage } = readRestApi(template)
  const api = `${url}/${stage}`
  const deployment = new Deployment(template)
  const place = { dataDir, url, api, compiled, env, log, print, build, gateway }
  const parts = await timed(progress, 'Store and emulators', startParts(place, deployment, stops))
  await timed(progress, 'Deployment', deployment.deploy(template, parts))
  const { secrets } = parts.channels
  const services = startServices(template, { repo, dataDir, compiled, secrets, replaced: { API_BASE: api } })
  stops.push(services.stop)
  parts.aws.reportStoppedTasks()
  build.watch?.((assembly) => deployment.deploy(readTemplate(assembly), parts))
  return { url, dataDir, providers: Object.keys(parts.providers) }
}

interface Place extends Pick<Parts, 'dataDir' | 'url' | 'log' | 'build' | 'gateway'> {
  api: string
  /** The folder of Node's compile cache. */
  compiled: string
  env: NodeJS.ProcessEnv
  print: (line: string) => void
}

/** Starts what serves all deployments: the store, the emulators and the WebSocket API. */
async function startParts(place: Place, deployment: Deployment, stops: Stops): Promise<Parts> {
  const { dataDir, url, api, env, log, print } = place
  const data = join(dataDir, 'data')
  const engine = await startEngine(repo, dataDir, print)
  stops.push(engine.stop)
  const deny = denier(log, print)
  const authorizer = new Authorizer((denial) => deny(denialLines(deployment.template, denial)))
  const guard = await startGuard(engine.endpoint, authorizer)
  stops.push(guard.close)
  // The rights that were used show which are unnecessary.
  const rights = join(dataDir, 'logs', 'rights.json')
  stops.push(() => writeFileSync(rights, usedRights(deployment.template, authorizer)))
  const echo = await startEcho()
  stops.push(echo.close)
  const providers = await providerSecret(echo.url, env, print)
  const payments = await startPayments({ dataDir: data, url, api, log }, env)
  stops.push(payments.close)
  const channels = await startChannels({ dataDir: data, url, api, log })
  stops.push(channels.close)
  const aws = await startAws(place, deployment, authorizer)
  stops.push(aws.stop)
  // For operators' commands, like the database's address.
  writeFileSync(join(data, 'secrets.endpoint'), aws.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '')
  if (!runsApart())
    print('Agents are not kept apart from their supervisors here: this system refuses `unshare` (docs/local.md)')
  stops.push(() => deployment.stop())
  const socket = new WebSocketApi(log, {}, authorizer)
  stops.push(() => socket.close())
  return { ...place, deny, engine, guard, authorizer, aws, socket, payments, channels, providers }
}

const startAws = (
  { dataDir, compiled, env, log }: Place,
  deployment: Deployment,
  authorizer: Parts['authorizer'],
): Promise<RunningAws> =>
  awsEmulator.start({
    stateFolder: join(dataDir, 'data'),
    log,
    taskCommand: taskCommand(repo, compiled, env),
    pendingMs: Number(env.BERTH_START_SECONDS ?? 0) * 1_000,
    volumeVariable: 'BERTH_VOLUME',
    logTimeField: 'at',
    authorizer,
    sending: () => sendingOf(deployment.template),
    onEvent: ({ bus, ...event }) => deployment.emit(bus, event),
  })

/** Logs each denial, and prints it once, because clients retry. */
function denier(log: (line: string) => void, print: (line: string) => void): (lines: string[]) => void {
  const printed = new Set<string>()
  return (lines) => {
    log(lines[0] ?? '')
    if (!printed.has(lines.join())) for (const line of lines) print(line)
    printed.add(lines.join())
  }
}

/** One line each, with the time in ISO 8601 UTC. */
const openLog =
  (path: string): ((line: string) => void) =>
  (line) =>
    appendFileSync(path, `${new Date().toISOString()} ${line}\n`)

export async function main(makeBuild?: MakeBuild): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env, repo)
  if (options.explain || options.routes) {
    const template = readTemplate(await synthesise(repo))
    const lines = options.explain ? explanation(template) : routeLines(repo, readRestApi(template))
    return console.log(lines.join('\n'))
  }
  const berth = await startBerth(options, process.env, makeBuild)
  let stopping = false
  const end = () => {
    // A second Ctrl-C exits at once; children end with us in any case.
    if (stopping) process.exit(130)
    stopping = true
    berth.stop().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', end).on('SIGTERM', end)
  logUncaught(openLog(join(options.dataDir, 'logs', 'berth.log')))
  if (!options.quiet) for (const line of bannerLines(berth)) console.log(line)
  console.log(`Ready on ${berth.url}`)
}

/** In Lambda an uncaught error ends one sandbox; here it must not end the service. Also logs warnings. */
function logUncaught(log: (line: string) => void): void {
  const uncaught = (error: unknown) => log(`A function left this uncaught: ${inspect(error)}`)
  process.on('unhandledRejection', uncaught).on('uncaughtException', uncaught)
  process.removeAllListeners('warning').on('warning', (warning) => log(`${warning.name}: ${warning.message}`))
}

export function fail(error: unknown): never {
  console.error(error instanceof StartProblem ? error.message : error)
  process.exit(1)
}

if (import.meta.main) await main().catch(fail)

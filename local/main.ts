/** `npm start`: the whole service on one computer, as its synthesised template describes it. */
import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createAuthorizer } from './aws/authorization.ts'
import { runsApart, startAwsEmulator } from './aws/emulator.ts'
import { createWebSocketApi } from './aws/websocket/api.ts'
import { startEngine } from './dynamodb/engine.ts'
import { startGuard } from './dynamodb/guard.ts'
import { createTables } from './dynamodb/tables.ts'
import type { EventRules } from './events/rules.ts'
import { createEventRules } from './events/rules.ts'
import type { StreamSources } from './events/streams.ts'
import { createStreamSources } from './events/streams.ts'
import { denialLines } from './functions/denials.ts'
import { createFunctions } from './functions/functions.ts'
import { directoryOf, invokersOf, rightsOf, usedRights } from './functions/principals.ts'
import { createApiHandler } from './gateway/api-handler.ts'
import { apiBehaviors } from './gateway/behaviors.ts'
import { edgeErrors } from './gateway/edge-errors.ts'
import type { Gateway, Handlers } from './gateway/gateway.ts'
import { createGateway } from './gateway/gateway.ts'
import { createLocalHandler } from './gateway/local-handler.ts'
import type { Route } from './gateway/rest-api.ts'
import { readRestApi } from './gateway/rest-api.ts'
import { pagesFunction, securityHeaders } from './gateway/static-handler.ts'
import { viewerFunction } from './gateway/viewer-function.ts'
import { permitted, readSocketApi } from './gateway/websocket-api.ts'
import { startEcho } from './model/echo.ts'
import { providerSecret } from './model/providers.ts'
import { fillSecrets, secretStore } from './resources/secrets.ts'
import { sendingOf } from './resources/sending.ts'
import { startServices } from './resources/services.ts'
import { routeLines, usageLines } from './start/banner.ts'
import type { Build } from './start/builds.ts'
import { buildOnce, compilePrograms, synthesise } from './start/builds.ts'
import { allocatorSettings } from './start/child-process.ts'
import type { Environment, Options } from './start/options.ts'
import { claimDataDir, defaultOptions, readOptions } from './start/options.ts'
import { StartProblem } from './start/problem.ts'
import { explanation } from './template/properties.ts'
import type { Template } from './template/template.ts'
import { readTemplate } from './template/template.ts'
import { startChannels } from './vendors/channels.ts'
import { startPayments } from './vendors/payments.ts'

const repo = join(import.meta.dirname, '..')

export interface Berth {
  url: string
  dataDir: string
  stage: string
  routes: Route[]
  /** Stops everything in reverse order of its start. Data stays. */
  stop(): Promise<void>
}

/** Makes the build; `gateway` already listens. */
export type MakeBuild = (repo: string, options: Options, gateway: Gateway) => Promise<Build>

/** Resolves once the service answers. @throws StartProblem for a problem that the caller can fix */
export async function startBerth(
  given: Partial<Options> = {},
  env: Environment = process.env,
  makeBuild: MakeBuild = buildOnce,
): Promise<Berth> {
  const options = { ...defaultOptions(repo), ...given }
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (let end = stops.pop(); end; end = stops.pop()) await end()
  }
  try {
    const { dataDir, print } = options
    const data = join(dataDir, 'data')

    const lock = claimDataDir(options)
    stops.push(lock.release)
    const log = openLog(join(dataDir, 'logs', 'berth.log'))

    const gateway = createGateway(log)
    const url = `http://127.0.0.1:${await gateway.listen(options.port)}`
    stops.push(gateway.close)

    const [build, compiled] = await Promise.all([makeBuild(repo, options, gateway), compilePrograms(repo)])
    if (build.stop) stops.push(build.stop)
    const template = readTemplate(build.assembly)
    const { stage, routes } = readRestApi(template)

    const engine = await startEngine(repo, dataDir, print)
    stops.push(engine.stop)

    let deployed = template
    const said = new Set<string>()
    const deny = (lines: string[]) => {
      log(lines[0] ?? '')
      // Print each denial once, because clients retry.
      if (!said.has(lines.join())) for (const line of lines) print(line)
      said.add(lines.join())
    }
    const authorizer = createAuthorizer((denial) => deny(denialLines(deployed, denial)))
    const guard = await startGuard(engine.endpoint, authorizer)
    stops.push(guard.close)
    // The rights that were used show which are unnecessary.
    stops.push(() => writeFileSync(join(dataDir, 'logs', 'rights.json'), usedRights(deployed, authorizer)))

    const echo = await startEcho()
    stops.push(echo.close)

    const providers = await providerSecret(echo.url, env, print)

    const payments = await startPayments({ dataDir: data, url, api: `${url}/${stage}`, log }, env)
    stops.push(payments.close)

    const channels = await startChannels({ dataDir: data, url, api: `${url}/${stage}`, log })
    stops.push(channels.close)

    let rules: EventRules | undefined
    const aws = await startAwsEmulator({
      dataDir: data,
      log,
      taskCommand: ({ taskArn, command }) => ({
        file: process.execPath,
        args: [join(repo, command?.at(-1) ?? 'agent/main.ts')],
        cwd: repo,
        environment: {
          BERTH_LAUNCHER: ownAddress(taskArn),
          ...allocatorSettings,
          NODE_COMPILE_CACHE: compiled,
          ...(env.BERTH_RUNTIME && { BERTH_RUNTIME: env.BERTH_RUNTIME }),
          // The caller's PATH leads to the runtimes' programs.
          ...(env.BERTH_RUNTIMES && { PATH: env.PATH ?? '' }),
        },
      }),
      pendingMs: Number(env.BERTH_START_SECONDS ?? 0) * 1_000,
      volumeVariable: 'BERTH_VOLUME',
      logTimeField: 'at',
      authorizer,
      sending: () => sendingOf(deployed),
      onEvent: ({ bus, ...event }) => rules?.emit(bus, event),
    })
    stops.push(aws.close)
    // For operators' commands, like the database's address.
    writeFileSync(join(data, 'secrets.endpoint'), aws.env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '')
    if (!runsApart())
      print('Agents are not kept apart from their supervisors here: this system refuses `unshare` (docs/local.md)')
    stops.push(() => rules?.stop())

    let sources: StreamSources | undefined
    stops.push(() => sources?.stop())

    const socket = createWebSocketApi(log, {}, authorizer)
    stops.push(socket.close)

    const deploy = async (template: Template) => {
      const api = readRestApi(template)
      authorizer.setDirectory(directoryOf(template))
      deployed = template
      const rights = rightsOf(template, authorizer)
      const invokers = invokersOf(template)
      const mayInvoke: typeof invokers = (functionArn, service, source) => {
        const may = invokers(functionArn, service, source)
        if (!may)
          deny([`Denied: ${service} may not invoke ${functionArn} for ${source}: no permission in lib/ says so.`])
        return may
      }
      const socketApi = readSocketApi(template)
      await createTables(engine.endpoint, template)
      await fillSecrets(template, secretStore(aws), {
        ...channels.secrets,
        stripe: payments.secret,
        providers,
      })
      const addresses = {
        added: { ...aws.env, AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint },
        replaced: { PUBLIC_ORIGIN: url, API_BASE: `${url}/${api.stage}` },
        moved: socketApi && {
          [`https://${socketApi.host}`]: url,
          [`wss://${socketApi.host}`]: url.replace('http', 'ws'),
        },
      }
      const wake = () => sources?.wake() ?? (() => {})
      const functions = createFunctions(template, dataDir, addresses, build.code, wake, rights.mayLog)
      const newRules = createEventRules(template, functions, log, undefined, mayInvoke)
      const file = join(data, 'streams.json')
      const { mayRead } = rights
      const newSources = createStreamSources({ template, functions, endpoint: engine.endpoint, file, log, mayRead })
      const pages = build.pages(securityHeaders(template, aws.url), pagesFunction(template))
      const handlers: Handlers = {
        stage: api.stage,
        behaviors: apiBehaviors(template, url),
        edgeErrors: edgeErrors(template, pages),
        api: createApiHandler(api, functions, mayInvoke, viewerFunction(template)),
        socket,
        pages,
        local: createLocalHandler(aws.mails, [payments.pages, ...channels.pages]),
      }
      // A wrong template has thrown by now. Streams' positions are known only after the stop.
      await sources?.stop()
      await newSources.open()
      sources = newSources
      const former = rules
      rules = newRules
      socket.deploy(socketApi && permitted(socketApi, mayInvoke), functions.invoke)
      gateway.open(handlers)
      sources.start()
      await former?.stop()
      rules.start()
    }
    await deploy(template)
    const replaced = { API_BASE: `${url}/${stage}` }
    const services = startServices(template, { repo, dataDir, compiled, secrets: channels.secrets, replaced })
    stops.push(services.stop)
    aws.reportStoppedTasks()
    build.watch?.((assembly) => deploy(readTemplate(assembly)))
    return { url, dataDir, stage, routes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The address at which a task's containers meet, instead of their own 127.0.0.1 in the cloud. No other task has it. */
function ownAddress(taskArn: string): string {
  const hash = createHash('sha256').update(taskArn).digest()
  if (process.platform === 'linux') return `127.${[0, 1, 2].map((at) => 1 + (hash.readUInt8(at) % 254)).join('.')}:4600`
  // On other systems there is one such address, so the port is unique instead.
  return `127.0.0.1:${10_000 + (hash.readUInt16BE() % 20_000)}`
}

/** One line each, with the time in ISO 8601 UTC. */
function openLog(path: string): (line: string) => void {
  return (line) => appendFileSync(path, `${new Date().toISOString()} ${line}\n`)
}

export async function main(makeBuild?: MakeBuild): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env, repo)
  if (options.explain) return console.log(explanation(readTemplate(await synthesise(repo))).join('\n'))
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
  if (!options.quiet) {
    for (const line of routeLines(repo, berth.stage, berth.routes)) console.log(line)
    console.log()
    for (const line of usageLines(berth.url, 'you@example.com')) console.log(line)
  }
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

/** `npm start`: the whole service on one laptop, as its synthesised template describes it. */
import { join } from 'node:path'
import { inspect } from 'node:util'
import { plans } from '../domain/billing/plans.ts'
import { createApiDoor } from './api-door.ts'
import { startCloud } from './aws/endpoints.ts'
import { routeLines, usageLines } from './banner.ts'
import { createTables } from './dynamo.ts'
import { startEngine } from './engine.ts'
import type { EventRules } from './events.ts'
import { createEventRules } from './events.ts'
import { createFunctions } from './functions.ts'
import { createGateway } from './gateway.ts'
import { createLocalDoor } from './local-door.ts'
import { openLog } from './log.ts'
import { startEcho } from './model/echo.ts'
import type { Environment, Options } from './options.ts'
import { claimDataDir, defaultOptions, readOptions } from './options.ts'
import { startPayments } from './payments.ts'
import { StartProblem } from './problem.ts'
import { providerSecret } from './providers.ts'
import type { Route } from './rest-api.ts'
import { readRestApi } from './rest-api.ts'
import { fillSecrets, secretStore } from './secrets.ts'
import { createStaticDoor, securityHeaders } from './static.ts'
import { buildDashboard, synthesise } from './synth.ts'
import { readTemplate } from './template.ts'

const repo = join(import.meta.dirname, '..')

export interface Berth {
  url: string
  dataDir: string
  stage: string
  routes: Route[]
  /** Ends everything, in reverse order of its start. Data stays. */
  stop(): Promise<void>
}

/** Starts the service and resolves once it answers. Throws a StartProblem when the caller can do something about it. */
export async function startBerth(given: Partial<Options> = {}, env: Environment = process.env): Promise<Berth> {
  const options = { ...defaultOptions(repo), ...given }
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (let end = stops.pop(); end; end = stops.pop()) await end()
  }
  try {
    const { dataDir, say } = options
    const data = join(dataDir, 'data')

    const lock = claimDataDir(options)
    stops.push(lock.release)
    const log = openLog(join(dataDir, 'logs', 'berth.log'))

    const gateway = createGateway(log)
    const url = `http://127.0.0.1:${await gateway.listen(options.port)}`
    stops.push(gateway.close)

    const [assembly, dashboard] = await Promise.all([synthesise(repo), buildDashboard(repo)])
    const template = readTemplate(assembly)
    const api = readRestApi(template)

    const engine = await startEngine(repo, dataDir, say)
    stops.push(engine.stop)
    await createTables(engine.endpoint, template)

    const echo = await startEcho()
    stops.push(echo.close)

    const payments = await startPayments({ dataDir: data, url, api: `${url}/${api.stage}`, log, plans }, env)
    stops.push(payments.close)

    let rules: EventRules | undefined
    const cloud = await startCloud({
      dataDir: data,
      log,
      agentCommand: () => ({ file: process.execPath, args: [join(repo, 'agent/main.ts')], cwd: repo }),
      onEvent: ({ bus, ...event }) => rules?.emit(bus, event),
    })
    stops.push(cloud.close)
    await fillSecrets(template, secretStore(cloud), {
      stripe: payments.secret,
      providers: providerSecret(echo.url, env),
    })

    const functions = createFunctions(template, dataDir, {
      added: { ...cloud.env, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint },
      replaced: { PUBLIC_ORIGIN: url, API_BASE: `${url}/${api.stage}` },
    })
    rules = createEventRules(template, functions, log)
    stops.push(rules.stop)

    gateway.open({
      stage: api.stage,
      api: createApiDoor(api, functions),
      pages: createStaticDoor(dashboard, securityHeaders(template)),
      local: createLocalDoor(cloud.mails, payments.handle),
    })
    await cloud.reconcile()
    rules.start()
    return { url, dataDir, stage: api.stage, routes: api.routes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env, repo)
  const berth = await startBerth(options)
  let stopping = false
  const end = () => {
    // The second Ctrl-C is for whoever cannot wait: what we started dies with us all the same.
    if (stopping) process.exit(130)
    stopping = true
    berth.stop().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', end).on('SIGTERM', end)
  survive(openLog(join(options.dataDir, 'logs', 'berth.log')))
  if (!options.quiet) {
    for (const line of routeLines(repo, berth.stage, berth.routes)) console.log(line)
    console.log()
    for (const line of usageLines(berth.url, 'you@example.com')) console.log(line)
  }
  console.log(`Ready on ${berth.url}`)
}

/** In Lambda what nobody catches ends one sandbox; here it must not end the service. Warnings go to the log too. */
function survive(log: (line: string) => void): void {
  const uncaught = (error: unknown) => log(`A function left this uncaught: ${inspect(error)}`)
  process.on('unhandledRejection', uncaught).on('uncaughtException', uncaught)
  process.removeAllListeners('warning').on('warning', (warning) => log(`${warning.name}: ${warning.message}`))
}

function fail(error: unknown): never {
  console.error(error instanceof StartProblem ? error.message : error)
  process.exit(1)
}

if (import.meta.main) await main().catch(fail)

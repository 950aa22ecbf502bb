import { join } from 'node:path'
import type { Authorizer } from '../../emulators/aws/authorization.ts'
import type { RunningAws } from '../../emulators/aws/emulator.ts'
import type { WebSocketApi } from '../../emulators/aws/websocket/api.ts'
import type { Engine } from '../dynamodb/engine.ts'
import type { Guard } from '../dynamodb/guard.ts'
import { createTables } from '../dynamodb/tables.ts'
import { createEventRules, type EventRules } from '../events/rules.ts'
import { StreamSources } from '../events/streams.ts'
import { createFunctions, type Functions } from '../functions/functions.ts'
import { directoryOf, invokersOf, type MayInvoke, rightsOf } from '../functions/principals.ts'
import { createApiHandler } from '../gateway/api-handler.ts'
import { apiBehaviors } from '../gateway/behaviors.ts'
import { edgeErrors } from '../gateway/edge-errors.ts'
import type { Gateway, Handlers } from '../gateway/gateway.ts'
import { createLocalHandler } from '../gateway/local-handler.ts'
import { type RestApi, readRestApi } from '../gateway/rest-api.ts'
import { pagesFunction, securityHeaders } from '../gateway/static-handler.ts'
import { viewerFunction } from '../gateway/viewer-function.ts'
import { permitted, readSocketApi, type SocketApi } from '../gateway/websocket-api.ts'
import { fillSecrets, secretStore } from '../resources/secrets.ts'
import type { JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'
import type { Channels } from '../vendors/channels.ts'
import type { Payments } from '../vendors/payments.ts'
import type { Build } from './builds.ts'

/** The parts that stay when another template is deployed. */
export interface Parts {
  dataDir: string
  url: string
  log: (line: string) => void
  deny: (lines: string[]) => void
  build: Build
  gateway: Gateway
  engine: Engine
  guard: Guard
  authorizer: Authorizer
  aws: RunningAws
  socket: WebSocketApi
  payments: Payments
  channels: Channels
  providers: JsonObject
}

/** The deployed template, with the parts that another template replaces. */
export class Deployment {
  template: Template
  #rules: EventRules | undefined
  #sources: StreamSources | undefined

  constructor(template: Template) {
    this.template = template
  }

  emit(bus: string, event: object): void {
    this.#rules?.emit(bus, event)
  }

  /** Stops the sources of events, then the rules. */
  async stop(): Promise<void> {
    await this.#sources?.stop()
    await this.#rules?.stop()
  }

  async deploy(template: Template, parts: Parts): Promise<void> {
    const { dataDir, url, log, engine, guard, authorizer, aws, build, gateway, socket } = parts
    const api = readRestApi(template)
    authorizer.setDirectory(directoryOf(template))
    this.template = template
    const { mayLog, mayRead } = rightsOf(template, authorizer)
    const mayInvoke = denying(invokersOf(template), parts.deny)
    const socketApi = readSocketApi(template)
    await createTables(engine.endpoint, template)
    const vendors = { ...parts.channels.secrets, stripe: parts.payments.secret, providers: parts.providers }
    await fillSecrets(template, secretStore(aws), vendors)
    const addresses = {
      added: { ...aws.env, AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint },
      replaced: { PUBLIC_ORIGIN: url, API_BASE: `${url}/${api.stage}` },
      moved: socketApi && originsOf(socketApi, url),
    }
    const wake = () => this.#sources?.wake() ?? (() => {})
    const functions = createFunctions(template, dataDir, addresses, build.code, wake, mayLog)
    const newRules = createEventRules(template, functions, log, undefined, mayInvoke)
    const file = join(dataDir, 'data', 'streams.json')
    const newSources = new StreamSources({ template, functions, endpoint: engine.endpoint, file, log, mayRead })
    const handlers = handlersOf(template, parts, api, functions, mayInvoke)
    // A wrong template has thrown by now. Streams' positions are known only after the stop.
    await this.#sources?.stop()
    await newSources.open()
    this.#sources = newSources
    const former = this.#rules
    this.#rules = newRules
    socket.deploy(socketApi && permitted(socketApi, mayInvoke), functions.invoke)
    gateway.open(handlers)
    newSources.start()
    await former?.stop()
    newRules.start()
  }
}

const denying =
  (invokers: MayInvoke, deny: Parts['deny']): MayInvoke =>
  (functionArn, service, source) => {
    const may = invokers(functionArn, service, source)
    if (!may) deny([`Denied: ${service} may not invoke ${functionArn} for ${source}: no permission in lib/ says so.`])
    return may
  }

const originsOf = ({ host }: SocketApi, url: string): Record<string, string> => ({
  [`https://${host}`]: url,
  [`wss://${host}`]: url.replace('http', 'ws'),
})

function handlersOf(
  template: Template,
  { url, dataDir, aws, build, socket, payments, channels }: Parts,
  api: RestApi,
  functions: Functions,
  mayInvoke: MayInvoke,
): Handlers {
  const pages = build.pages(securityHeaders(template, aws.apiBase), pagesFunction(template))
  return {
    stage: api.stage,
    behaviors: apiBehaviors(template, url),
    edgeErrors: edgeErrors(template, pages),
    api: createApiHandler(api, functions, mayInvoke, viewerFunction(template)),
    socket,
    pages,
    local: createLocalHandler({ url, dataDir, hasStripe: payments.pages !== undefined }, aws.mails, [
      payments.pages,
      ...channels.pages,
    ]),
  }
}

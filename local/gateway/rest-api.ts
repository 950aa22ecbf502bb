/** The template's REST API, read from its OpenAPI body. */

import { asList, asObject, asText, isObject, type JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'

export interface Route {
  method: string
  /** As in the template, including `{param}` and `{proxy+}`. */
  path: string
  /** The operationId; empty if missing. */
  operation: string
  functionArn: string
  streaming: boolean
  timeoutMs: number
}

export interface ResponseTemplate {
  status?: number
  /** Header name → a quoted text, or a variable of the context. */
  headers: Record<string, string>
  body?: string
}

export interface Match {
  target: Route
  /** Percent-encoded, as API Gateway passes them. */
  parameters: Record<string, string>
}

export interface RestApi {
  id: string
  stage: string
  /** Routes with an own method. */
  routes: Route[]
  binaryTypes: string[]
  /** Minimum size for compression of a buffered answer, bytes; null for none. */
  leastCompressedBytes: number | null
  /** Total requests per second, and parallel ones; null for no limit. */
  throttle: { rate: number; burst: number } | null
  /** The template's response for the first of these types that has one. */
  gatewayResponse(...types: string[]): ResponseTemplate | undefined
  /** @param path without the stage */
  match(method: string, path: string): Match | undefined
}

interface Node {
  children: Map<string, Node>
  methods: Map<string, Route>
}

/** API Gateway's time limits of buffered and streaming functions, ms. */
const bufferedMs = 29_000
const streamedMs = 900_000

const anyMethod = 'x-amazon-apigateway-any-method'
/** Methods of an any-method, and all that API Gateway accepts. */
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']

/** @throws without a RestApi, or for an unsupported integration */
export function readRestApi(template: Template): RestApi {
  const [api] = template.ofType('AWS::ApiGateway::RestApi')
  const [stage] = template.ofType('AWS::ApiGateway::Stage')
  if (!api || !stage) throw new Error('The template has no REST API with a stage')
  const { Body: body, MinimumCompressionSize: compression } = api.properties
  if (!isObject(body)) throw new Error(`${api.logicalId} has no Body: its routes are read from nowhere else`)
  const root: Node = { children: new Map(), methods: new Map() }
  const routes: Route[] = []
  for (const [path, operations] of Object.entries(asObject(body.paths))) {
    for (const [name, operation] of Object.entries(asObject(operations))) {
      const method = name === anyMethod ? 'ANY' : name.toUpperCase()
      if (method !== 'ANY' && !methods.includes(method)) throw new Error(`${path} has ${name}, which is no method`)
      const target = targetOf(method, path, asObject(operation))
      if (method !== 'ANY') routes.push(target)
      nodeAt(root, path).methods.set(method, target)
    }
  }
  const responses = asObject(body['x-amazon-apigateway-gateway-responses'])
  return {
    id: api.name,
    stage: stage.name,
    routes,
    binaryTypes: asList(body['x-amazon-apigateway-binary-media-types']).map((type) => asText(type)),
    leastCompressedBytes: compression === undefined ? null : Number(compression),
    throttle: throttleOf(stage.properties),
    gatewayResponse: (...types) => {
      const found = types.map((type) => responses[type]).find(isObject)
      return found && responseOf(found)
    },
    match: (method, path) => find(root, segments(path), method, {}),
  }
}

/** Supports only a limit for all methods of all paths. */
function throttleOf({ MethodSettings }: JsonObject): RestApi['throttle'] {
  for (const settings of asList(MethodSettings).map(asObject)) {
    const { HttpMethod, ResourcePath, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = settings
    if (rate === undefined || burst === undefined) continue
    if (HttpMethod !== '*' || ResourcePath !== '/*')
      throw new Error(`${asText(HttpMethod)} ${asText(ResourcePath)} has a throttle of its own, and none is kept here`)
    return { rate: Number(rate), burst: Number(burst) }
  }
  return null
}

function targetOf(method: string, path: string, operation: JsonObject): Route {
  const integration = asObject(operation['x-amazon-apigateway-integration'])
  const type = asText(integration.type).toUpperCase()
  const uri = /\/functions\/(arn:[^/]+)\/(invocations|response-streaming-invocations)$/.exec(asText(integration.uri))
  if (type !== 'AWS_PROXY' || !uri)
    throw new Error(`${method} ${path} is no Lambda proxy integration: the local gateway runs no other`)
  const streaming = integration.responseTransferMode === 'STREAM'
  if (streaming !== (uri[2] === 'response-streaming-invocations'))
    throw new Error(`${method} ${path} streams in its transfer mode or in its uri, but not in both`)
  return {
    method,
    path,
    operation: asText(operation.operationId),
    functionArn: uri[1] ?? '',
    streaming,
    timeoutMs: Math.min(
      Number(asText(integration.timeoutInMillis, `${bufferedMs}`)),
      streaming ? streamedMs : bufferedMs,
    ),
  }
}

function responseOf(response: JsonObject): ResponseTemplate {
  const { statusCode, responseParameters, responseTemplates } = response
  const body = asObject(responseTemplates)['application/json']
  return {
    ...(statusCode !== undefined && { status: Number(asText(statusCode)) }),
    headers: Object.fromEntries(
      Object.entries(asObject(responseParameters)).map(([name, value]) => [
        name.replace('gatewayresponse.header.', ''),
        asText(value),
      ]),
    ),
    ...(body !== undefined && { body: asText(body) }),
  }
}

/** API Gateway ignores a slash at the end. */
const segments = (path: string): string[] => {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '')
  return trimmed === '' ? [] : trimmed.split('/')
}

function nodeAt(root: Node, path: string): Node {
  let node = root
  for (const segment of segments(path)) {
    const next = node.children.get(segment) ?? { children: new Map(), methods: new Map() }
    node.children.set(segment, next)
    node = next
  }
  return node
}

/** The most specific resource wins: a fixed segment before `{param}` before `{proxy+}`. */
function find(node: Node, rest: string[], method: string, parameters: Record<string, string>): Match | undefined {
  const [segment, ...after] = rest
  if (segment === undefined) {
    const any = methods.includes(method) ? node.methods.get('ANY') : undefined
    const target = node.methods.get(method) ?? any
    return target && { target, parameters }
  }
  const fixed = isParameter(segment) ? undefined : node.children.get(segment)
  const found = fixed && find(fixed, after, method, parameters)
  if (found) return found
  for (const [name, child] of node.children) {
    if (!isParameter(name) || isGreedy(name) || segment === '') continue
    const match = find(child, after, method, { ...parameters, [name.slice(1, -1)]: segment })
    if (match) return match
  }
  for (const [name, child] of node.children) {
    if (!isGreedy(name)) continue
    const match = find(child, [], method, { ...parameters, [name.slice(1, -2)]: rest.join('/') })
    if (match) return match
  }
  return undefined
}

const isParameter = (segment: string) => segment.startsWith('{') && segment.endsWith('}')
const isGreedy = (segment: string) => segment.endsWith('+}')

/** The template's REST API: which method of which path belongs to which function, and how its own errors look. */

import type { JsonObject } from './json.ts'
import { asList, asObject, asText } from './json.ts'
import type { Resource, Template } from './template.ts'

export interface Route {
  method: string
  /** As in the template, `{param}` and `{proxy+}` included. */
  path: string
  /** The Method's OperationName; empty if it has none. */
  operation: string
  resourceId: string
  functionArn: string
  streaming: boolean
  timeoutMs: number
}

export interface Match {
  route: Route
  /** Still percent-encoded, as API Gateway passes them. */
  parameters: Record<string, string>
}

export interface RestApi {
  id: string
  stage: string
  routes: Route[]
  binaryTypes: string[]
  /** The GatewayResponse properties for the first of these types that the template defines. */
  gatewayResponse(...types: string[]): JsonObject | undefined
  /** `path` without the stage. */
  match(method: string, path: string): Match | undefined
}

interface Node {
  children: Map<string, Node>
  methods: Map<string, Route>
}

/** Longest that API Gateway waits for a function that does not stream, and for one that does (milliseconds). */
const BUFFERED_MS = 29_000
const STREAMED_MS = 900_000

/** Reads the one RestApi of the template. Throws if there is none, or an integration the runner cannot run. */
export function readRestApi(template: Template): RestApi {
  const [api] = template.ofType('AWS::ApiGateway::RestApi')
  const [stage] = template.ofType('AWS::ApiGateway::Stage')
  if (!api || !stage) throw new Error('The template has no REST API with a stage')
  const paths = pathsOf(template, api)
  const root: Node = { children: new Map(), methods: new Map() }
  const routes: Route[] = []
  for (const method of template.ofType('AWS::ApiGateway::Method')) {
    const path = paths.get(asText(method.properties.ResourceId))
    if (path === undefined) throw new Error(`${method.logicalId} belongs to a resource the template does not have`)
    const route = routeOf(method, path)
    routes.push(route)
    nodeAt(root, path).methods.set(route.method, route)
  }
  const responses = template.ofType('AWS::ApiGateway::GatewayResponse').map(({ properties }) => properties)
  return {
    id: api.name,
    stage: stage.name,
    routes,
    binaryTypes: asList(api.properties.BinaryMediaTypes).map((type) => asText(type)),
    gatewayResponse: (...types) =>
      types
        .map((type) => responses.find(({ ResponseType }) => ResponseType === type))
        .find((found) => found !== undefined),
    match: (method, path) => find(root, segments(path), method, {}),
  }
}

function pathsOf(template: Template, api: Resource): Map<string, string> {
  const resources = new Map(template.ofType('AWS::ApiGateway::Resource').map((resource) => [resource.ref, resource]))
  const paths = new Map([[`${api.name}-root`, '/']])
  const pathOf = (id: string): string => {
    const known = paths.get(id)
    if (known !== undefined) return known
    const resource = resources.get(id)
    if (!resource) throw new Error(`The REST API has no resource ${id}`)
    const path = `${pathOf(asText(resource.properties.ParentId)).replace(/\/$/, '')}/${asText(resource.properties.PathPart)}`
    paths.set(id, path)
    return path
  }
  for (const id of resources.keys()) pathOf(id)
  return paths
}

function routeOf(method: Resource, path: string): Route {
  const { HttpMethod, Integration, OperationName, ResourceId } = method.properties
  const { ResponseTransferMode, TimeoutInMillis, Type, Uri } = asObject(Integration)
  const target = /\/functions\/(arn:[^/]+)\/(invocations|response-streaming-invocations)$/.exec(asText(Uri))
  if (Type !== 'AWS_PROXY' || !target) {
    throw new Error(`${asText(HttpMethod)} ${path} is no Lambda proxy integration: the local gateway runs nothing else`)
  }
  const streaming = ResponseTransferMode === 'STREAM'
  if (streaming !== (target[2] === 'response-streaming-invocations')) {
    throw new Error(`${asText(HttpMethod)} ${path} streams in its transfer mode or in its Uri, but not in both`)
  }
  return {
    method: asText(HttpMethod),
    path,
    operation: asText(OperationName),
    resourceId: asText(ResourceId),
    functionArn: target[1] ?? '',
    streaming,
    timeoutMs: Math.min(Number(asText(TimeoutInMillis, `${BUFFERED_MS}`)), streaming ? STREAMED_MS : BUFFERED_MS),
  }
}

function segments(path: string): string[] {
  return path === '/' || path === '' ? [] : path.replace(/^\//, '').split('/')
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
    const route = node.methods.get(method) ?? node.methods.get('ANY')
    return route && { route, parameters }
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

/** The template's WebSocket API: its stage, and the function or mock of each route. */
import type { Deployment, Integration, Route } from '../../emulators/aws/websocket/api.ts'
import type { MayInvoke } from '../functions/principals.ts'
import { asObject, asText, type JsonObject } from '../template/json.ts'
import { account, executeApiHost, region } from '../template/resource-types.ts'
import type { Resource, Template } from '../template/template.ts'

export interface SocketApi extends Deployment {
  /** The host in the cloud, as functions know it. */
  host: string
}

/** API Gateway's time limit of a function, ms. */
const integrationMs = 29_000

/** Undefined if the template has none. @throws for an unsupported property */
export function readSocketApi(template: Template): SocketApi | undefined {
  const [api, second] = template.ofType('AWS::ApiGatewayV2::Api')
  if (!api) return undefined
  const { ProtocolType, RouteSelectionExpression } = api.properties
  if (second || ProtocolType !== 'WEBSOCKET')
    throw new Error(`${(second ?? api).logicalId}: one WebSocket API runs here`)
  const selection = /^\$request\.body((?:\.\w+)+)$/.exec(asText(RouteSelectionExpression))?.[1]
  if (!selection) throw new Error(`${api.logicalId} selects its routes by something else than a field of the body`)
  const [stage] = template.ofType('AWS::ApiGatewayV2::Stage')
  if (!stage) throw new Error(`${api.logicalId} has no stage`)
  const routes = template
    .ofType('AWS::ApiGatewayV2::Route')
    .map((route) => [asText(route.properties.RouteKey), readRoute(template, route)] as const)
  return {
    apiId: api.ref,
    host: executeApiHost(api.ref),
    stage: stage.name,
    selection: selection.slice(1).split('.'),
    routes: new Map(routes),
  }
}

/** The API, where a route fails if API Gateway may not invoke its function. */
export function permitted(api: SocketApi, mayInvoke: MayInvoke): SocketApi {
  const source = `arn:aws:execute-api:${region}:${account}:${api.apiId}/${api.stage}`
  const routes = [...api.routes].map(([key, route]): [string, Route] => {
    const { integration } = route
    const may =
      integration.type === 'mock' || mayInvoke(integration.arn, 'apigateway.amazonaws.com', `${source}/${key}`)
    return [key, may ? route : { ...route, integration: { type: 'mock', status: 500 } }]
  })
  return { ...api, routes: new Map(routes) }
}

function readRoute(template: Template, { logicalId, properties }: Resource): Route {
  const { AuthorizationType, RouteResponseSelectionExpression, Target } = properties
  if (asText(AuthorizationType, 'NONE') !== 'NONE')
    throw new Error(`${logicalId} has an authorizer, and none runs here`)
  const target = asText(Target).replace(/^integrations\//, '')
  const integration = template.ofType('AWS::ApiGatewayV2::Integration').find(({ ref }) => ref === target)
  if (!integration) throw new Error(`${logicalId} has no integration of the template for its target`)
  return {
    integration: readIntegration(template, integration),
    responds: RouteResponseSelectionExpression !== undefined,
  }
}

function readIntegration(template: Template, { logicalId, ref, properties }: Resource): Integration {
  const { IntegrationType, IntegrationUri, TimeoutInMillis } = properties
  if (IntegrationType === 'MOCK') {
    // Without a status in a template, API Gateway's mock fails.
    const { statusCode = 500 } = asObject(JSON.parse(selected(properties, 'RequestTemplates') ?? '{}'))
    const response = template
      .ofType('AWS::ApiGatewayV2::IntegrationResponse')
      .find((each) => each.properties.IntegrationId === ref)
    const reply = response && selected(response.properties, 'ResponseTemplates')
    if (reply && /[$#]/.test(reply))
      throw new Error(`${response.logicalId} computes its reply: only plain text runs here`)
    return { type: 'mock', status: Number(asText(statusCode)), ...(reply !== undefined && { reply }) }
  }
  const arn = /\/functions\/(arn:[^/]+)\/invocations$/.exec(asText(IntegrationUri))?.[1]
  if (IntegrationType !== 'AWS_PROXY' || !arn)
    throw new Error(`${logicalId} is neither a Lambda proxy nor a mock: the local gateway runs no other`)
  return {
    type: 'function',
    arn,
    timeoutMs: Math.min(Number(asText(TimeoutInMillis, `${integrationMs}`)), integrationMs),
  }
}

/** The template that the selection expression names, otherwise the default. */
function selected(properties: JsonObject, kind: string): string | undefined {
  const templates = asObject(properties[kind])
  const key = asText(properties.TemplateSelectionExpression, '$default').replace(/^\\/, '')
  const found = templates[key] ?? templates.$default
  return found === undefined ? undefined : asText(found)
}

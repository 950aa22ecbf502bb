import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  type CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { CfnPermission } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Aws, RemovalPolicy, Size } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Area } from '../../lambdas/kit/area.ts'
import { type Functions, liveName } from '../functions/functions.ts'
import type { Stage } from '../stage.ts'
import { gatewayBody } from './gateway-body.ts'

/** API Gateway puts the stage at the start of every path, so `{base_url}` ends with it. */
export const apiStage = 'api'

/** The REST API as one resource: a stack holds at most 500 resources, and routes would be most of them. */
export class Api extends Construct {
  readonly rest: SpecRestApi
  /** The access log. */
  readonly log: LogGroup
  /** Host and root for clients that do not use the dashboard's origin. */
  readonly host: string
  readonly base: string

  constructor(scope: Construct, id: string, stage: Stage, areas: readonly Area[]) {
    super(scope, id)
    this.log = new LogGroup(this, 'Access', { retention: stage.logDays, removalPolicy: RemovalPolicy.DESTROY })
    const restApiName = `berth-${stage.name}`
    this.rest = new SpecRestApi(this, 'Rest', {
      restApiName,
      apiDefinition: ApiDefinition.fromInline(gatewayBody(restApiName, areas, (area) => liveName(stage, area))),
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway does not compress streams.
      minCompressionSize: Size.bytes(1_024),
      // Import parameters set the endpoint's type. Without `ignore`, each description becomes a documentation part.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL, ignore: 'documentation' },
      cloudWatchRole: true,
      deployOptions: {
        stageName: apiStage,
        tracingEnabled: true,
        throttlingRateLimit: 1000,
        throttlingBurstLimit: 2000,
        accessLogDestination: new LogGroupLogDestination(this.log),
        accessLogFormat: accessLog,
      },
    })
    // Under the id of an API with method resources, CloudFormation deletes those methods after the import.
    const resource = this.rest.node.defaultChild as CfnRestApi // safe because SpecRestApi makes it its default child
    resource.overrideLogicalId('ApiRoutes')
    this.host = `${this.rest.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.base = `https://${this.host}/${apiStage}`
  }

  /** One permission covers all routes of an area. The API is deployed after the permissions. */
  invoke(areas: readonly Area[], functions: Functions): void {
    for (const area of areas) {
      if (area.operations.length === 0) continue
      const permission = new CfnPermission(this, `${area.name}-permission`, {
        action: 'lambda:InvokeFunction',
        functionName: functions.of(area).functionArn,
        principal: 'apigateway.amazonaws.com',
        sourceArn: this.rest.arnForExecuteApi('*', '/*', apiStage),
      })
      this.rest.latestDeployment?.node.addDependency(permission)
    }
  }
}

/** Logs no headers, no query and no path parameters: these contain tokens and codes. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    traceId: AccessLogField.contextXrayTraceId(),
    at: AccessLogField.contextRequestTimeEpoch(),
    ip: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    resource: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    bytes: AccessLogField.contextResponseLength(),
    durationMs: AccessLogField.contextResponseLatency(),
    functionMs: AccessLogField.contextIntegrationLatency(),
    error: AccessLogField.contextErrorResponseType(),
  }),
)

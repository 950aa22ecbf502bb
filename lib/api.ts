import {
  AccessLogField,
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Area } from '../lambdas/kit/operation.ts'
import type { Functions } from './functions.ts'
import { answerOwnErrors } from './gateway-responses.ts'
import type { Stage } from './stage.ts'

/** The stage is the first part of every path, so `{base_url}` ends with it. */
export const apiStage = 'api'

/** The REST API: one method for each address of each operation, and nothing else. */
export class Api extends Construct {
  readonly rest: RestApi
  /** Host and root, as clients that do not come through the dashboard's origin use them. */
  readonly host: string
  readonly base: string

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.rest = new RestApi(this, 'Rest', {
      restApiName: `berth-${stage.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: apiStage,
        throttlingRateLimit: 1000,
        throttlingBurstLimit: 2000,
        accessLogDestination: new LogGroupLogDestination(
          new LogGroup(this, 'Access', { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
        ),
        accessLogFormat: accessLog,
      },
    })
    answerOwnErrors(this.rest)
    this.host = `${this.rest.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.base = `https://${this.host}/${apiStage}`
  }

  /** Routes every operation to its area's function. */
  serve(areas: readonly Area[], functions: Functions): void {
    for (const area of areas) {
      const integration = new LambdaIntegration(functions.of(area), {
        scopePermissionToMethod: false,
        ...(area.stream && {
          responseTransferMode: ResponseTransferMode.STREAM,
          timeout: Duration.minutes(15),
        }),
      })
      for (const { id, http } of area.operations) {
        for (const path of [http.path, ...(http.aliases ?? [])]) {
          this.rest.root.resourceForPath(path).addMethod(http.method, integration, {
            operationName: id,
            authorizationType: AuthorizationType.NONE,
          })
        }
      }
    }
  }
}

/** No header, no query and no path as sent: tokens and codes travel in those. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
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

import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { WebSocketLambdaIntegration, WebSocketMockIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Aws, type Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { clientMessages } from '../../domain/socket/message.ts'
import type { Stage } from '../stage.ts'

/** The stage is the path, so CloudFront forwards `/socket` unchanged. */
export const socketStage = 'socket'

/** The WebSocket API: machines and browsers hold connections, and no function runs while they wait. */
export class SocketApi extends Construct {
  readonly #api: WebSocketApi
  readonly host: string
  /** The endpoint for managing connections; clients connect to it with `wss`. */
  readonly base: string

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#api = new WebSocketApi(this, 'Api', {
      apiName: `berth-${stage.name}-socket`,
      routeSelectionExpression: '$request.body.action',
    })
    this.host = `${this.#api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.base = `https://${this.host}/${socketStage}`
  }

  /** A metric of the whole stage; metrics by route cost extra. */
  metric(metricName: string, period: Duration): Metric {
    const dimensionsMap = { ApiId: this.#api.apiId, Stage: socketStage }
    return new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap, statistic: 'Sum', period })
  }

  get connectionsArn(): string {
    return this.#api.arnForExecuteApiV2('*/@connections/*', socketStage)
  }

  /** Routes calls to the function; keep-alive messages need no function. */
  route(handler: IFunction): void {
    const integration = new WebSocketLambdaIntegration('Handler', handler)
    for (const route of ['$connect', '$disconnect', ...Object.keys(clientMessages)])
      this.#api.addRoute(route, { integration })
    this.#api.addRoute('ping', {
      integration: new WebSocketMockIntegration('Nothing', {
        requestTemplates: { 200: '{"statusCode":200}' },
        templateSelectionExpression: '200',
      }),
    })
    new WebSocketStage(this, 'Stage', {
      webSocketApi: this.#api,
      stageName: socketStage,
      autoDeploy: true,
      throttle: { rateLimit: 1000, burstLimit: 2000 },
    })
  }
}

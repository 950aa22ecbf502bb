import { type CfnStage, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { WebSocketLambdaIntegration, WebSocketMockIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Aws } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { clientMessages } from '../domain/socket/message.ts'
import type { Stage } from './stage.ts'

/** The stage is the path, so that CloudFront's `/socket` is the API's own address. */
export const socketStage = 'socket'

/** The WebSocket API: machines and browsers hold a connection each, and no function waits meanwhile. */
export class SocketApi extends Construct {
  readonly #api: WebSocketApi
  readonly host: string
  /** Where its connections are managed; clients connect to the same with `wss`. */
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

  /** Its open connections, as rights name them. */
  get connectionsArn(): string {
    return this.#api.arnForExecuteApiV2('*/@connections/*', socketStage)
  }

  /** Routes it to the function, and what only keeps a connection open to nothing. */
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
    const made = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.#api,
      stageName: socketStage,
      autoDeploy: true,
      throttle: { rateLimit: 1000, burstLimit: 2000 },
    })
    const resource = made.node.defaultChild as CfnStage // safe because WebSocketStage makes it its default child
    resource.addPropertyOverride('DefaultRouteSettings.DetailedMetricsEnabled', true)
  }
}

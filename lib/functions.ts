import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { type Area, accessOf } from '../lambdas/kit/area.ts'
import { bundleFolder } from './bundle.ts'
import { grant, type Resources } from './grants.ts'
import type { Stage } from './stage.ts'

/** The name that the API and the function's logs know it by. */
export const functionName = (stage: Stage, area: Area): string => `berth-${stage.name}-${area.name}`

/** One Lambda for each area, with exactly the environment and rights of the ports it uses. */
export class Functions extends Construct {
  readonly byArea = new Map<string, LambdaFunction>()

  constructor(
    scope: Construct,
    id: string,
    props: { stage: Stage; areas: readonly Area[]; built: string; resources: Resources; deadLetters: Queue },
  ) {
    super(scope, id)
    for (const area of props.areas) {
      const made = this.#make(area, props.stage, bundleFolder(props.built, area.name))
      grant(made, accessOf(area), props.resources)
      if (area.jobs.length > 0) {
        made.configureAsyncInvoke({
          retryAttempts: 2,
          maxEventAge: Duration.hours(1),
          onFailure: new SqsDestination(props.deadLetters),
        })
      }
      this.byArea.set(area.name, made)
    }
  }

  /** @throws when there is no such area */
  of(area: Area): LambdaFunction {
    const found = this.byArea.get(area.name)
    if (!found) throw new Error(`no function was made for the area ${area.name}`)
    return found
  }

  #make(area: Area, stage: Stage, folder: string): LambdaFunction {
    const name = functionName(stage, area)
    const logGroup = new LogGroup(this, `${area.name}-logs`, {
      logGroupName: `/aws/lambda/${name}`,
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // A role of our own: the one the CDK would make may write to every log group of the account.
    const role = new Role(this, `${area.name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    return new LambdaFunction(this, area.name, {
      functionName: name,
      description: `${area.name}: ${[...area.operations, ...area.jobs].map(({ id }) => id).join(' ')}`.slice(0, 256),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      memorySize: area.memoryMiB,
      timeout: Duration.seconds(area.timeoutSeconds),
      ...(stage.reserves && { reservedConcurrentExecutions: area.reservedConcurrency }),
      loggingFormat: LoggingFormat.JSON,
      // API Gateway decides which requests are traced; what the clock starts, Lambda does.
      tracing: Tracing.ACTIVE,
      logGroup,
      role,
    })
  }
}

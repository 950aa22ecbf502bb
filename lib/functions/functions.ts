import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Alias,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
  Version,
} from 'aws-cdk-lib/aws-lambda'
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { type Area, accessOf } from '../../lambdas/kit/area.ts'
import { bundleFolder } from '../build/bundle.ts'
import type { Stage } from '../stage.ts'
import { grant, type Resources } from './grants.ts'

export const functionName = (stage: Stage, area: Area): string => `berth-${stage.name}-${area.name}`

/** All callers use this alias: the version of the last deployment. */
const aliasName = 'live'

export const liveName = (stage: Stage, area: Area): string => `${functionName(stage, area)}:${aliasName}`

interface Props {
  stage: Stage
  areas: readonly Area[]
  built: string
  resources: Resources
  deadLetters: Queue
  release: string
}

/** One Lambda function for each area, with only the environment and the rights that its ports need. */
export class Functions extends Construct {
  readonly #byArea = new Map<string, Alias>()
  readonly #roles: Construct

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { areas, stage, built, resources, deadLetters, release } = props
    // After the functions: CDK follows references in this order, so a policy is the same in every synthesis.
    this.#roles = new Construct(scope, 'Roles')
    for (const area of areas) {
      const made = this.#make(area, stage, bundleFolder(built, area.name), release)
      grant(made, accessOf(area), resources)
      // A rollback publishes the previous version again from its template.
      const version = new Version(this, `${area.name}-version`, { lambda: made, description: release })
      const live = new Alias(this, `${area.name}-${aliasName}`, { aliasName, version })
      if (area.jobs.length > 0) {
        live.configureAsyncInvoke({
          retryAttempts: 2,
          // Lambda's maximum: events wait while a function's reserved concurrency is used.
          maxEventAge: Duration.hours(6),
          onFailure: new SqsDestination(deadLetters),
        })
      }
      this.#byArea.set(area.name, live)
    }
  }

  get all(): Alias[] {
    return [...this.#byArea.values()]
  }

  /** @throws when there is no such area */
  of(area: Area): Alias {
    const found = this.#byArea.get(area.name)
    if (!found) throw new Error(`no function was made for the area ${area.name}`)
    return found
  }

  #make(area: Area, stage: Stage, folder: string, release: string): LambdaFunction {
    const name = functionName(stage, area)
    const logGroup = new LogGroup(this, `${area.name}-logs`, {
      logGroupName: `/aws/lambda/${name}`,
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // The CDK's default role may write to every log group of the account.
    const role = new FunctionRole(this.#roles, area.name)
    logGroup.grantWrite(role)
    const ids = [...area.operations, ...area.jobs].map(({ id }) => id).join(' ')
    return new LambdaFunction(this, area.name, {
      functionName: name,
      // Lambda publishes only a changed function, and referenced values are no change. The release always differs.
      description: `${`${area.name}: ${ids}`.slice(0, 230)} (${release})`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      memorySize: area.memoryMiB,
      timeout: Duration.seconds(area.timeoutSeconds),
      ...(stage.reserves && { reservedConcurrentExecutions: area.reservedConcurrency }),
      loggingFormat: LoggingFormat.JSON,
      // API Gateway decides which requests are traced; Lambda decides for scheduled jobs.
      tracing: Tracing.ACTIVE,
      logGroup,
      role,
    })
  }
}

/** Inline rights: a separate policy would be one more resource for each function. */
class FunctionRole extends Role {
  readonly #rights: PolicyDocument

  constructor(scope: Construct, id: string) {
    const rights = new PolicyDocument()
    super(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com'), inlinePolicies: { rights } })
    this.#rights = rights
  }

  override addToPrincipalPolicy(statement: PolicyStatement) {
    this.#rights.addStatements(statement)
    return { statementAdded: true, policyDependable: this }
  }
}

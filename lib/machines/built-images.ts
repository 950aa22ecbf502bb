import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { ArnFormat, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Provider } from 'aws-cdk-lib/custom-resources'
import { Construct } from 'constructs'
import { bundleFolder, imageProvider } from '../build/bundle.ts'
import type { ImportedState } from '../imported-state.ts'
import type { Stage } from '../stage.ts'
import { buildLimit, type ImageFolder, type ImageTags } from './image-builds.ts'

/**
 * Images of this release, which CloudFormation has built before it deploys what uses them. A laptop has none, because
 * its machines are processes.
 */
export class BuiltImages extends Construct {
  readonly #provider: Provider | undefined
  readonly #stage: Stage
  readonly #state: ImportedState
  readonly #tags: ImageTags
  #last: CustomResource | undefined

  constructor(
    scope: Construct,
    id: string,
    { stage, state, tags, built }: { stage: Stage; state: ImportedState; tags: ImageTags; built: string },
  ) {
    super(scope, id)
    this.#stage = stage
    this.#state = state
    this.#tags = tags
    this.#provider = stage.local ? undefined : this.#makeProvider(built)
  }

  /** `<tag>@<digest>`; on a laptop the tag. */
  version(folder: ImageFolder): string {
    const tag = this.#tags[folder]
    return this.#provider ? this.#build(folder, this.#provider).getAttString('Version') : tag
  }

  /** The address with the digest; on a laptop with the tag. */
  address(folder: ImageFolder): string {
    const { images } = this.#state
    return this.#provider
      ? images.repositoryUriForDigest(this.#build(folder, this.#provider).getAttString('Digest'))
      : images.repositoryUriForTag(this.#tags[folder])
  }

  #build(folder: ImageFolder, { serviceToken }: Provider): CustomResource {
    const { images, imageBuilds } = this.#state
    const image = new CustomResource(this, folder, {
      resourceType: 'Custom::BerthImage',
      serviceToken,
      properties: {
        repository: images.repositoryName,
        tag: this.#tags[folder],
        project: imageBuilds?.projectName,
        folder,
        isYours: String(folder === 'agent' && this.#stage.imageVersion !== undefined),
      },
    })
    // A new account may run one build at a time.
    if (this.#last) image.node.addDependency(this.#last)
    this.#last = image
    return image
  }

  #makeProvider(built: string): Provider {
    const logGroup = new LogGroup(this, 'Logs', {
      retention: this.#stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const make = (handler: 'onEvent' | 'isComplete') => {
      const made = new LambdaFunction(this, handler, {
        description: 'Has CodeBuild build the images of a deployment',
        runtime: Runtime.NODEJS_24_X,
        architecture: Architecture.ARM_64,
        handler: `index.${handler}`,
        code: Code.fromAsset(bundleFolder(built, imageProvider)),
        memorySize: 256,
        timeout: Duration.minutes(1),
        logGroup,
      })
      for (const statement of this.#rights()) made.addToRolePolicy(statement)
      return made
    }
    return new Provider(this, 'Provider', {
      onEventHandler: make('onEvent'),
      isCompleteHandler: make('isComplete'),
      queryInterval: Duration.seconds(10),
      totalTimeout: buildLimit.plus(Duration.minutes(10)),
      logGroup,
    })
  }

  #rights(): PolicyStatement[] {
    const { images, imageBuilds } = this.#state
    const buildLogs = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: `berth-${this.#stage.name}-state-*:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
    const allow = (actions: string[], resource: string) => new PolicyStatement({ actions, resources: [resource] })
    return [
      allow(['ecr:DescribeImages'], images.repositoryArn),
      allow(['codebuild:StartBuild', 'codebuild:BatchGetBuilds'], imageBuilds?.projectArn ?? ''),
      allow(['logs:GetLogEvents'], buildLogs),
    ]
  }
}

import { BuildSpec, ComputeType, LinuxArmBuildImage, Project, Source } from 'aws-cdk-lib/aws-codebuild'
import type { Repository } from 'aws-cdk-lib/aws-ecr'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Asset } from 'aws-cdk-lib/aws-s3-assets'
import { CfnOutput, Duration, FileSystem, IgnoreMode, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { root } from './bundle.ts'
import type { Stage } from './stage.ts'

/** Folders that have a Dockerfile. */
export type ImageFolder = 'agent' | 'gateway'

/** Docker Hub counts what Amazon's addresses fetch; this is Amazon's own copy of the same images. */
const library = 'public.ecr.aws/docker/library'

/** One build: `FOLDER` and `TAG` say of what, and are given when it starts. */
const steps = [
  'aws ecr get-login-password | docker login --username AWS --password-stdin "$(echo "$REPOSITORY" | cut -d / -f 1)"',
  'docker build -f "$FOLDER/Dockerfile" --build-arg LIBRARY="$LIBRARY" --build-arg FLAVOUR="$FLAVOUR" --build-arg RUNTIMES="$RUNTIMES" --build-arg ACCEPT_LICENCES="$ACCEPT_LICENCES" -t "$REPOSITORY:$TAG" .',
  'docker push "$REPOSITORY:$TAG"',
]

/**
 * Builds the images that tasks run, on a machine of the architecture that they run on. An image's tag follows from all
 * that it is made of, so the same code is built once.
 */
export class ImageBuilds extends Construct {
  /** The builds of the agent's image and of the listener's. */
  readonly tags: Record<ImageFolder, string>
  /** None on a laptop, where machines are processes. */
  readonly project: Project | undefined

  constructor(scope: Construct, id: string, stage: Stage, repository: Repository) {
    super(scope, id)
    const content = { LIBRARY: library, ...buildArguments(stage) }
    this.tags = {
      agent: stage.imageVersion ?? `${stage.version}-${hashOf('agent', content)}`,
      gateway: `gateway-${stage.version}-${hashOf('gateway', { LIBRARY: library })}`,
    }
    if (stage.local) return
    const source = new Asset(this, 'Source', {
      path: root,
      exclude: ['*', '!agent', '!gateway', '**/node_modules'],
      ignoreMode: IgnoreMode.DOCKER,
    })
    this.project = new Project(this, 'Project', {
      description: `Builds the images of ${stage.name}`,
      source: Source.s3({ bucket: source.bucket, path: source.s3ObjectKey }),
      environment: {
        buildImage: LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_3_0,
        computeType: ComputeType.SMALL,
        // Docker runs in it.
        privileged: true,
      },
      environmentVariables: Object.fromEntries(
        Object.entries({ REPOSITORY: repository.repositoryUri, ...content }).map(([name, value]) => [name, { value }]),
      ),
      buildSpec: BuildSpec.fromObjectToYaml({ version: '0.2', phases: { build: { commands: steps } } }),
      timeout: Duration.hours(1),
      grantReportGroupPermissions: false,
      logging: {
        cloudWatch: {
          logGroup: new LogGroup(this, 'Logs', {
            retention: stage.logDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        },
      },
    })
    repository.grantPullPush(this.project)
    new CfnOutput(scope, 'ImageBuilds', { description: 'Builds the images', value: this.project.projectName })
  }
}

/** The build arguments of the agent's Dockerfile. */
const buildArguments = ({ image, runtimes }: Stage) => ({
  FLAVOUR: image.flavour,
  RUNTIMES: runtimes.join(' '),
  ACCEPT_LICENCES: image.acceptLicences.join(' '),
})

/** Twelve hexadecimal digits that another content would not have. */
const hashOf = (folder: ImageFolder, content: Record<string, string>): string =>
  FileSystem.fingerprint(`${root}${folder}`, {
    exclude: ['node_modules'],
    extraHash: JSON.stringify(content),
  }).slice(0, 12)

import { BuildSpec, ComputeType, LinuxArmBuildImage, Project, Source } from 'aws-cdk-lib/aws-codebuild'
import type { Repository } from 'aws-cdk-lib/aws-ecr'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Asset } from 'aws-cdk-lib/aws-s3-assets'
import { Duration, FileSystem, IgnoreMode, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { root } from '../build/bundle.ts'
import type { Stage } from '../stage.ts'

export type ImageFolder = 'agent' | 'gateway'

export type ImageTags = Readonly<Record<ImageFolder, string>>

/** Amazon's copy of Docker Hub's official images: Docker Hub limits pulls from Amazon's addresses. */
const library = 'public.ecr.aws/docker/library'

/** CloudFormation waits at most an hour for an image, including the time in CodeBuild's queue. */
export const buildLimit = Duration.minutes(45)

/** Build steps. `FOLDER` and `TAG` are set when the build starts. */
const steps = [
  // An older release must not get today's code under its own tag.
  'case " $TAGS " in *" $TAG "*) ;; *) echo "$TAG is not an image of the deployed code ($TAGS). Deploy the code that has this tag."; exit 1 ;; esac',
  'aws ecr get-login-password | docker login --username AWS --password-stdin "$(echo "$REPOSITORY" | cut -d / -f 1)"',
  'docker build -f "$FOLDER/Dockerfile" --build-arg LIBRARY="$LIBRARY" --build-arg FLAVOUR="$FLAVOUR" --build-arg RUNTIMES="$RUNTIMES" --build-arg ACCEPT_LICENCES="$ACCEPT_LICENCES" -t "$REPOSITORY:$TAG" .',
  'docker push "$REPOSITORY:$TAG"',
]

/** Builds on the tasks' architecture. A tag is a hash of the content, so the same code is built once. */
export class ImageBuilds extends Construct {
  readonly tags: ImageTags
  /** Undefined on a laptop, where machines are processes. */
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
        // Required to run Docker in the build.
        privileged: true,
      },
      environmentVariables: Object.fromEntries(
        Object.entries({
          REPOSITORY: repository.repositoryUri,
          TAGS: Object.values(this.tags).join(' '),
          ...content,
        }).map(([name, value]) => [name, { value }]),
      ),
      buildSpec: BuildSpec.fromObjectToYaml({ version: '0.2', phases: { build: { commands: steps } } }),
      timeout: buildLimit,
      queuedTimeout: Duration.minutes(10),
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
  }
}

const buildArguments = ({ image, runtimes }: Stage) => ({
  FLAVOUR: image.flavour,
  RUNTIMES: runtimes.join(' '),
  ACCEPT_LICENCES: image.acceptLicences.join(' '),
})

/** Twelve hexadecimal digits of a hash over the image's content. */
const hashOf = (folder: ImageFolder, content: Record<string, string>): string =>
  FileSystem.fingerprint(`${root}${folder}`, {
    exclude: ['node_modules'],
    extraHash: JSON.stringify(content),
  }).slice(0, 12)

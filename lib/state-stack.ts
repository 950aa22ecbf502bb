import { Repository, TagMutability, TagStatus } from 'aws-cdk-lib/aws-ecr'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { CfnOutput, CfnWaitConditionHandle, Duration, Fn, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { Schedules } from './events/schedules.ts'
import { ImageBuilds } from './machines/image-builds.ts'
import { Network } from './machines/network.ts'
import { Volumes } from './machines/volumes.ts'
import { costTags, type Stage } from './stage.ts'
import { FilesBucket } from './storage/files-bucket.ts'
import { removalPolicyOf } from './storage/removal-policy.ts'
import { Secrets } from './storage/secrets.ts'
import { PublishedValues, type StateValue, valuesIn } from './storage/state-values.ts'
import { Tables } from './storage/tables.ts'

/**
 * Resources that must never be lost, and those that others refer to. The stack changes rarely, and a rollback of the
 * code leaves it alone. Never rename a construct here: its id is part of the logical id, and a new one replaces the
 * resource.
 */
export class StateStack extends Stack {
  readonly tables: Tables
  readonly secrets: Secrets
  readonly network: Network
  readonly volumes: Volumes
  readonly filesBucket: FilesBucket
  readonly bus: EventBus
  readonly schedules: Schedules
  /** Wraps the data keys of users' environment variables. */
  readonly variablesKey: Key
  /** Images of the agent and of the listener, under different tags. */
  readonly images: Repository
  readonly imageBuilds: ImageBuilds

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id, { terminationProtection: !stage.disposable, tags: costTags(stage) })
    this.tables = new Tables(this, 'Tables', stage)
    this.secrets = new Secrets(this, 'Secrets', stage)
    this.network = new Network(this, 'Network', stage)
    this.volumes = new Volumes(this, 'Volumes', stage, this.network)
    this.filesBucket = new FilesBucket(this, 'Files', stage)
    this.bus = new EventBus(this, 'Bus', { eventBusName: `berth-${stage.name}` })
    this.schedules = new Schedules(this, 'Timers', stage, this.bus)
    this.variablesKey = new Key(this, 'VariablesKey', {
      description: `Berth ${stage.name}: environment variables of users`,
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf(stage),
    })
    this.images = new Repository(this, 'Images', {
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      removalPolicy: removalPolicyOf(stage),
      lifecycleRules: [
        { description: 'What has no tag', tagStatus: TagStatus.UNTAGGED, maxImageAge: Duration.days(1) },
        // A machine that slept through releases still starts with its old image.
        { description: 'The last hundred', maxImageCount: 100 },
      ],
    })
    this.imageBuilds = new ImageBuilds(this, 'Builds', stage, this.images)
    this.#createTablesLast()
    const address = this.images.repositoryUriForTag(this.imageBuilds.tags.agent)
    new CfnOutput(this, 'AgentImage', { description: 'The image of machines', value: address })
    new PublishedValues(this, 'Values', stage.name, this.#values())
  }

  /**
   * A table is protected against deletion from its creation on, so CloudFormation could not remove it after a failed
   * creation of the stack.
   */
  #createTablesLast(): void {
    // This resource is nothing: it stands for the others, which each table would otherwise list.
    const others = new CfnWaitConditionHandle(this, 'Others')
    others.node.addDependency(
      this.secrets,
      this.network,
      this.volumes,
      this.filesBucket,
      this.schedules,
      this.variablesKey,
      this.images,
      this.imageBuilds,
    )
    for (const table of Object.values(this.tables.byName)) table.node.addDependency(others)
  }

  #values(): Partial<Record<StateValue, string>> {
    const { network, schedules, imageBuilds } = this
    return {
      ...valuesIn('secrets', this.secrets.byName, ({ secretArn }) => secretArn),
      'network/vpc': network.vpc.vpcId,
      'network/subnets': Fn.join(',', network.subnetIds),
      'network/machines': network.machines.securityGroupId,
      'volumes/file-system': this.volumes.fileSystem.fileSystemId,
      'files/bucket': this.filesBucket.bucket.bucketName,
      'bus/name': this.bus.eventBusName,
      'schedules/group': schedules.group.scheduleGroupName,
      'schedules/role': schedules.role.roleArn,
      'schedules/dead-letters': schedules.deadLetters.queueArn,
      'variables/key': this.variablesKey.keyArn,
      'images/repository': this.images.repositoryName,
      ...(imageBuilds.project && { 'images/project': imageBuilds.project.projectName }),
      // Last, as the tables are.
      ...valuesIn('tables', this.tables.byName, ({ tableName }) => tableName),
      ...valuesIn('streams', this.tables.byName, ({ tableStreamArn }) => tableStreamArn),
    }
  }
}

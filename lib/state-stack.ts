import { Repository, TagMutability } from 'aws-cdk-lib/aws-ecr'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { FilesBucket } from './files-bucket.ts'
import { Network } from './network.ts'
import { Schedules } from './schedules.ts'
import { Secrets } from './secrets.ts'
import type { Stage } from './stage.ts'
import { Tables } from './tables.ts'
import { Volumes } from './volumes.ts'

/**
 * What must never be lost, and what other things are found by: it changes rarely and is not rolled back with the code.
 * Construct ids are part of logical ids: another one would replace the resource, so they stay as they are.
 */
export class StateStack extends Stack {
  readonly tables: Tables
  readonly secrets: Secrets
  readonly network: Network
  readonly volumes: Volumes
  readonly filesBucket: FilesBucket
  readonly bus: EventBus
  readonly schedules: Schedules
  /** Wraps the data keys that users' environment variables lie under. */
  readonly variablesKey: Key
  /** Images of the agent, tagged with their version. */
  readonly images: Repository

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id, { terminationProtection: !stage.disposable })
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
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    })
    this.images = new Repository(this, 'Images', {
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    })
    new CfnOutput(this, 'AgentImage', {
      description: 'Push the image of the agent here, with this tag',
      value: this.images.repositoryUriForTag(stage.imageVersion),
    })
  }
}

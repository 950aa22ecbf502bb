import { type IProject, Project } from 'aws-cdk-lib/aws-codebuild'
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb'
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2'
import { type IRepository, Repository } from 'aws-cdk-lib/aws-ecr'
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events'
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs'
import { Fn, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { type TableName, type TableShape, tables } from '../adapters/dynamo/tables.ts'
import { type SecretName, secrets } from '../adapters/registry.ts'
import { zoneCount } from './machines/zones.ts'
import type { Stage } from './stage.ts'
import { readValue, type StateValue } from './storage/state-values.ts'

/** The state stack's resources, as another stack sees them. */
export class ImportedState extends Construct {
  readonly tables: Record<TableName, ITable>
  readonly secrets: Record<SecretName, ISecret>
  readonly network: { vpc: IVpc; subnetIds: string; machinesGroupId: string }
  readonly fileSystem: { id: string; arn: string }
  readonly filesBucket: IBucket
  readonly bus: IEventBus
  readonly schedules: { group: string; roleArn: string; deadLetters: IQueue }
  /** Wraps the data keys of users' environment variables. */
  readonly variablesKeyArn: string
  readonly images: IRepository
  /** Undefined on a laptop. */
  readonly imageBuilds: IProject | undefined

  readonly #stage: string

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#stage = stage.name
    const tableNames = Object.keys(tables) as TableName[] // safe because tables is a closed record of its own keys
    const secretNames = Object.keys(secrets) as SecretName[] // safe because secrets is a closed record of its own keys
    this.tables = mapped(tableNames, (name) => this.#table(name))
    this.secrets = mapped(secretNames, (name) => this.#secret(name))
    this.network = this.#network()
    this.fileSystem = this.#fileSystem()
    this.filesBucket = Bucket.fromBucketName(this, 'Files', this.#read('files/bucket'))
    this.bus = EventBus.fromEventBusName(this, 'Bus', this.#read('bus/name'))
    this.schedules = {
      group: this.#read('schedules/group'),
      roleArn: this.#read('schedules/role'),
      deadLetters: Queue.fromQueueArn(this, 'SchedulesUndelivered', this.#read('schedules/dead-letters')),
    }
    this.variablesKeyArn = this.#read('variables/key')
    this.images = Repository.fromRepositoryName(this, 'Images', this.#read('images/repository'))
    this.imageBuilds = stage.local ? undefined : Project.fromProjectName(this, 'Builds', this.#read('images/project'))
  }

  #read(name: StateValue): string {
    return readValue(this, this.#stage, name)
  }

  #table(name: TableName): ITable {
    const { stream }: TableShape = tables[name]
    return Table.fromTableAttributes(this, `${name}-table`, {
      tableName: this.#read(`tables/${name}`),
      ...(stream && { tableStreamArn: this.#read(`streams/${name}`) }),
    })
  }

  #secret(name: SecretName): ISecret {
    return Secret.fromSecretCompleteArn(this, `${name}-secret`, this.#read(`secrets/${name}`))
  }

  #network() {
    const subnetIds = this.#read('network/subnets')
    const places = Array.from({ length: zoneCount }, (_, i) => i)
    return {
      vpc: Vpc.fromVpcAttributes(this, 'Vpc', {
        vpcId: this.#read('network/vpc'),
        // The CDK requires zones, and no resource of these stacks names one.
        availabilityZones: places.map((i) => Fn.select(i, Fn.getAzs())),
        publicSubnetIds: places.map((i) => Fn.select(i, Fn.split(',', subnetIds))),
      }),
      subnetIds,
      machinesGroupId: this.#read('network/machines'),
    }
  }

  #fileSystem() {
    const id = this.#read('volumes/file-system')
    const names = { service: 'elasticfilesystem', resource: 'file-system', resourceName: id }
    return { id, arn: Stack.of(this).formatArn(names) }
  }
}

/** A record with an entry for each key. */
function mapped<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V> // safe because it has one entry per key
}

import { SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2'
import { FileSystem, LifecyclePolicy, OutOfInfrequentAccessPolicy, ThroughputMode } from 'aws-cdk-lib/aws-efs'
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from '../storage/removal-policy.ts'
import type { Network } from './network.ts'

/** The file system of all instances' volumes, each with its own access point. */
export class Volumes extends Construct {
  readonly fileSystem: FileSystem

  constructor(scope: Construct, id: string, stage: Stage, network: Network) {
    super(scope, id)
    const { vpc, machines } = network
    this.fileSystem = new FileSystem(this, 'FileSystem', {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroup: new SecurityGroup(this, 'Doors', {
        vpc,
        description: 'Volumes: machines in, nothing out',
        allowAllOutbound: false,
      }),
      throughputMode: ThroughputMode.ELASTIC,
      lifecyclePolicy: LifecyclePolicy.AFTER_30_DAYS,
      outOfInfrequentAccessPolicy: OutOfInfrequentAccessPolicy.AFTER_1_ACCESS,
      enableAutomaticBackups: !stage.disposable,
      removalPolicy: removalPolicyOf(stage),
      // Otherwise the CDK adds a statement that lets anybody write. Our policy refuses anonymous clients.
      allowAnonymousAccess: true,
      fileSystemPolicy: new PolicyDocument({ statements: refusals }),
    })
    this.fileSystem.connections.allowDefaultPortFrom(machines, 'Machines mount their volumes')
  }
}

/** A policy without an "allow" refuses anonymous mounts. These statements apply even to a role with too many rights. */
const refusals = [
  deny('OnlyByAccessPoint', ['ClientMount'], { Null: { 'elasticfilesystem:AccessPointArn': 'true' } }),
  deny('OnlyByTls', ['ClientMount', 'ClientWrite'], { Bool: { 'aws:SecureTransport': 'false' } }),
  deny('NobodyIsRoot', ['ClientRootAccess']),
]

function deny(sid: string, names: string[], conditions = {}): PolicyStatement {
  const actions = names.map((name) => `elasticfilesystem:${name}`)
  return new PolicyStatement({ sid, effect: Effect.DENY, principals: [new AnyPrincipal()], actions, conditions })
}

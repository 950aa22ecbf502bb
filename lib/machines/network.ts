import {
  type CfnSubnet,
  GatewayVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import { Egress } from './egress.ts'
import { zoneCount } from './zones.ts'

/**
 * Public subnets for machines, because a NAT gateway would be the largest cost here. The security group allows no
 * inbound traffic, and outbound only HTTP, HTTPS and the file system's port.
 */
export class Network extends Construct {
  readonly vpc: Vpc
  readonly machines: SecurityGroup
  readonly subnetIds: string[]

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.vpc = new Vpc(this, 'Vpc', {
      maxAzs: zoneCount,
      natGateways: 0,
      subnetConfiguration: [{ name: 'machines', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: true }],
      gatewayEndpoints: {
        s3: { service: GatewayVpcEndpointAwsService.S3 },
        dynamodb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    })
    this.#place(stage.zones)
    this.machines = new SecurityGroup(this, 'Machines', {
      vpc: this.vpc,
      description: 'Machines: nobody in, HTTP, HTTPS and their volumes out',
      allowAllOutbound: false,
    })
    this.machines.addEgressRule(Peer.anyIpv4(), Port.HTTP, 'HTTP')
    this.machines.addEgressRule(Peer.anyIpv4(), Port.HTTPS, 'HTTPS')
    new Egress(this, 'Egress', { stage, vpc: this.vpc })
    this.subnetIds = this.vpc.publicSubnets.map((subnet) => subnet.subnetId)
  }

  /** The CDK knows only names of zones, which mean another zone in each account. */
  #place(zones: Stage['zones']): void {
    for (const [i, zone] of (zones ?? []).entries()) {
      const subnet = this.vpc.publicSubnets[i]?.node.defaultChild as CfnSubnet // safe because a subnet makes it its default child
      subnet.availabilityZone = undefined
      subnet.availabilityZoneId = zone
    }
  }
}

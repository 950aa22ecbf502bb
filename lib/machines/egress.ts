import {
  FlowLog,
  FlowLogDestination,
  FlowLogResourceType,
  FlowLogTrafficType,
  LogFormat,
  type Vpc,
} from 'aws-cdk-lib/aws-ec2'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import {
  CfnFirewallDomainList,
  CfnFirewallRuleGroup,
  CfnFirewallRuleGroupAssociation,
  CfnResolverQueryLoggingConfig,
  CfnResolverQueryLoggingConfigAssociation,
} from 'aws-cdk-lib/aws-route53resolver'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from '../storage/removal-policy.ts'

const trafficTypes = {
  rejected: FlowLogTrafficType.REJECT,
  accepted: FlowLogTrafficType.ACCEPT,
  all: FlowLogTrafficType.ALL,
} satisfies Record<Stage['flowLogs'], FlowLogTrafficType>

/** Logs machines' traffic and resolved names for three months, and blocks the names that the stage lists. */
export class Egress extends Construct {
  constructor(scope: Construct, id: string, { stage, vpc }: { stage: Stage; vpc: Vpc }) {
    super(scope, id)
    const writer = new Role(this, 'FlowWriter', { assumedBy: new ServicePrincipal('vpc-flow-logs.amazonaws.com') })
    const flows = new FlowLog(this, 'Flows', {
      resourceType: FlowLogResourceType.fromVpc(vpc),
      trafficType: trafficTypes[stage.flowLogs],
      destination: FlowLogDestination.toCloudWatchLogs(this.#logs('FlowLogs', stage), writer),
      logFormat: [LogFormat.ALL_DEFAULT_FIELDS, LogFormat.ECS_TASK_ID],
    })
    // EC2 refuses a flow log whose role has no policy yet.
    flows.node.addDependency(writer)
    const names = this.#logs('NameLogs', stage)
    names.grantWrite(new ServicePrincipal('delivery.logs.amazonaws.com'))
    const logging = new CfnResolverQueryLoggingConfig(this, 'NameLogging', { destinationArn: names.logGroupArn })
    logging.node.addDependency(names)
    new CfnResolverQueryLoggingConfigAssociation(this, 'NameLoggingOfMachines', {
      resolverQueryLogConfigId: logging.attrId,
      resourceId: vpc.vpcId,
    })
    this.#block(stage, vpc)
  }

  #block({ blockedDomains, dnsBlockLists }: Stage, vpc: Vpc): void {
    const own = blockedDomains.length > 0 ? [this.#ownList(blockedDomains)] : []
    const lists = [...own, ...dnsBlockLists]
    if (lists.length === 0) return
    const group = new CfnFirewallRuleGroup(this, 'NameRules', {
      firewallRules: lists.map((firewallDomainListId, at) => ({
        firewallDomainListId,
        priority: at + 1,
        action: 'BLOCK',
        blockResponse: 'NXDOMAIN',
      })),
    })
    new CfnFirewallRuleGroupAssociation(this, 'NameRulesOfMachines', {
      firewallRuleGroupId: group.attrId,
      vpcId: vpc.vpcId,
      // AWS reserves priorities up to 100 and above 9,900.
      priority: 101,
    })
  }

  /** The domains and all their subdomains. */
  #ownList(domains: readonly string[]): string {
    const withBelow = domains.flatMap((domain) => [domain, `*.${domain}`])
    return new CfnFirewallDomainList(this, 'BlockedNames', { domains: withBelow }).attrId
  }

  #logs(id: string, stage: Stage): LogGroup {
    return new LogGroup(this, id, {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: removalPolicyOf(stage),
    })
  }
}

import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { rateLimited } from '../../domain/errors.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { statusOf, toErrorBody } from '../../lambdas/kit/errors.ts'
import { apiStage } from '../api/api.ts'
import type { Stage } from '../stage.ts'

export const firewallName = ({ name }: Pick<Stage, 'name'>): string => `berth-${name}`

/** Requests of one address in five minutes, far above the service's own limits. */
const requestsPerFiveMinutes = 3000
/** A chat platform sends the events of all users from a few addresses, and signs them. */
const webhooksPerFiveMinutes = 60_000
const waitSeconds = 60

const limited = rateLimited(waitSeconds)

/**
 * The firewall of the API's stage; every request to the API passes it. Requests that the common rules block get API
 * Gateway's response, and requests over the limit get ours. Both have the service's error shape.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: { stage: Stage; api: ApiStage; edgeKey: ISecret }) {
    super(scope, id)
    const fromCloudFront: CfnWebACL.StatementProperty = {
      byteMatchStatement: {
        fieldToMatch: { singleHeader: { Name: edgeHeaders.key } },
        searchString: props.edgeKey.secretValueFromJson('key').unsafeUnwrap(),
        positionalConstraint: 'EXACTLY',
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    }
    const acl = new CfnWebACL(this, 'Acl', {
      // Metrics have this name as a dimension.
      name: firewallName(props.stage),
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(firewallName(props.stage)),
      dataProtectionConfig: { dataProtections: withoutSecrets },
      customResponseBodies: {
        limited: { contentType: 'APPLICATION_JSON', content: JSON.stringify(toErrorBody(limited)) },
      },
      rules: [
        rateRule('direct', 0, requestsPerFiveMinutes, {
          aggregateKeyType: 'IP',
          scopeDownStatement: both(not(fromCloudFront), not(toWebhooks)),
        }),
        rateRule('edge', 1, requestsPerFiveMinutes, {
          ...byViewer,
          scopeDownStatement: both(fromCloudFront, not(toWebhooks)),
        }),
        rateRule('webhooks-direct', 2, webhooksPerFiveMinutes, {
          aggregateKeyType: 'IP',
          scopeDownStatement: both(not(fromCloudFront), toWebhooks),
        }),
        rateRule('webhooks-edge', 3, webhooksPerFiveMinutes, {
          ...byViewer,
          scopeDownStatement: both(fromCloudFront, toWebhooks),
        }),
        commonRules(4),
      ],
    })
    new CfnWebACLAssociation(this, 'Association', { resourceArn: props.api.stageArn, webAclArn: acl.attrArn })
    this.#log(props.stage, acl)
  }

  /** Logs blocked requests only. */
  #log(stage: Stage, acl: CfnWebACL): void {
    // AWS requires the beginning of the name.
    const { logGroupName } = new LogGroup(this, 'Blocked', {
      logGroupName: `aws-waf-logs-${firewallName(stage)}`,
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // Without the `:*` that the group's own attribute has.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
    })
  }
}

/** Webhooks of platforms, through CloudFront or directly. The rule matches only these exact addresses. */
const toWebhooks: CfnWebACL.StatementProperty = {
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString: `^(/${apiStage})?/webhooks/`,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
}

/** Logs and samples of requests contain none of these values. */
const withoutSecrets: CfnWebACL.DataProtectProperty[] = [
  {
    action: 'SUBSTITUTION',
    field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization', 'cookie', 'x-api-key', edgeHeaders.key] },
  },
  { action: 'SUBSTITUTION', field: { fieldType: 'QUERY_STRING' } },
]

const byViewer: Omit<CfnWebACL.RateBasedStatementProperty, 'limit'> = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [{ header: { name: edgeHeaders.viewer, textTransformations: [{ priority: 0, type: 'NONE' }] } }],
}

const not = (statement: CfnWebACL.StatementProperty): CfnWebACL.StatementProperty => ({ notStatement: { statement } })
const both = (...statements: CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty => ({
  andStatement: { statements },
})

const visible = (name: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName: name,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
})

/** CloudFront's requests come from its own addresses, so they count for the viewer that CloudFront names. */
const rateRule = (
  name: string,
  priority: number,
  limit: number,
  by: Omit<CfnWebACL.RateBasedStatementProperty, 'limit'>,
): CfnWebACL.RuleProperty => ({
  name,
  priority,
  visibilityConfig: visible(name),
  statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, ...by } },
  action: {
    block: {
      customResponse: {
        responseCode: statusOf[limited.code],
        customResponseBodyKey: 'limited',
        responseHeaders: [{ name: 'Retry-After', value: String(waitSeconds) }],
      },
    },
  },
})

/** Rules that would block honest traffic only count: prompts are long, and mention localhost, scripts and paths. */
function commonRules(priority: number): CfnWebACL.RuleProperty {
  const counted = [
    'SizeRestrictions_BODY',
    'CrossSiteScripting_BODY',
    'EC2MetaDataSSRF_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    // A search text may contain anything.
    'CrossSiteScripting_QUERYARGUMENTS',
    'EC2MetaDataSSRF_QUERYARGUMENTS',
    'GenericLFI_QUERYARGUMENTS',
    'GenericRFI_QUERYARGUMENTS',
    'RestrictedExtensions_QUERYARGUMENTS',
    'NoUserAgent_HEADER',
    'RestrictedExtensions_URIPATH',
  ]
  return {
    name: 'common',
    priority,
    visibilityConfig: visible('common'),
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name: 'AWSManagedRulesCommonRuleSet',
        ruleActionOverrides: counted.map((name) => ({ name, actionToUse: { count: {} } })),
      },
    },
  }
}

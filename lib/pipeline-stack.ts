import { Effect, OpenIdConnectPrincipal, OpenIdConnectProvider, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { releasesPath } from './parameters.ts'
import type { Stage } from './stage.ts'
import { readValue } from './storage/state-values.ts'

const issuer = 'token.actions.githubusercontent.com'

/**
 * The role of the GitHub jobs that deploy this stage, limited to one repository and environment. GitHub signs a token
 * for each job, so no key is stored. The CDK's own roles do the deployment.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    if (!stage.pipeline) throw new Error(`the stage ${stage.name} names no pipeline`)
    const { repository, environment } = stage.pipeline
    const role = new Role(this, 'Deployer', {
      description: `Deploys ${stage.name} from ${repository}`,
      // An account can have one OIDC provider per issuer.
      assumedBy: new OpenIdConnectPrincipal(
        OpenIdConnectProvider.fromOpenIdConnectProviderArn(
          this,
          'GitHub',
          this.formatArn({ service: 'iam', region: '', resource: 'oidc-provider', resourceName: issuer }),
        ),
        {
          StringEquals: {
            [`${issuer}:aud`]: 'sts.amazonaws.com',
            [`${issuer}:sub`]: `repo:${repository}:environment:${environment}`,
          },
        },
      ),
      maxSessionDuration: Duration.hours(2),
    })
    const bootstrap = `cdk-hnb659fds-*-${this.account}-${this.region}`
    const stacks = this.formatArn({
      service: 'cloudformation',
      resource: 'stack',
      resourceName: `berth-${stage.name}-*/*`,
    })
    const parameters = (path: string) =>
      this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: path.slice(1) })
    const allow = (actions: string[], resources: string[]) =>
      role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources }))
    allow(
      ['sts:AssumeRole'],
      [this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: bootstrap })],
    )
    allow(
      [
        'cloudformation:DescribeStacks',
        'cloudformation:DescribeStackEvents',
        'cloudformation:GetTemplate',
        'cloudformation:ListStackResources',
      ],
      [stacks],
    )
    allow(['ssm:GetParameter'], [parameters('/cdk-bootstrap/hnb659fds/version')])
    allow(
      ['ssm:GetParameter', 'ssm:GetParametersByPath', 'ssm:PutParameter', 'ssm:DeleteParameter'],
      [parameters(`/berth/${stage.name}/*`), parameters(releasesPath(stage.name))],
    )
    allow(['s3:GetObject'], [`arn:${this.partition}:s3:::cdk-hnb659fds-assets-${this.account}-${this.region}/*`])
    // The checks of the account. These actions support no resource of the stage.
    allow(
      [
        'budgets:ViewBudget',
        'cloudfront:ListDistributions',
        'ec2:DescribeAvailabilityZones',
        'lambda:GetAccountSettings',
        'servicequotas:GetServiceQuota',
        'ses:GetAccount',
      ],
      ['*'],
    )
    const images = readValue(this, stage.name, 'images/repository')
    allow(['ecr:DescribeImages'], [this.formatArn({ service: 'ecr', resource: 'repository', resourceName: images })])
    new CfnOutput(this, 'DeployRole', { description: 'AWS_DEPLOY_ROLE of GitHub’s environment', value: role.roleArn })
  }
}

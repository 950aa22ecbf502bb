import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { CfnDeploymentGroup, LambdaApplication } from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda'
import { CfnCondition, CfnParameter, Fn, type IResolvable } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { type Area, isCalled } from '../../lambdas/kit/area.ts'
import { atOnceParameter } from '../stack-parameters.ts'
import type { Functions } from './functions.ts'

interface Props {
  areas: readonly Area[]
  functions: Functions
  release: string
  alarms: readonly Alarm[]
}

/**
 * Shifts calls to a new release: a tenth for five minutes, then all. An alarm in this time reverts the shift and fails
 * the deployment. Jobs shift at once, and revert with the calls.
 */
export class TrafficShift extends Construct {
  constructor(scope: Construct, id: string, { areas, functions, release, alarms }: Props) {
    super(scope, id)
    const parameter = new CfnParameter(this, atOnceParameter, {
      description: 'The release whose calls move at once and despite any alarm, for a rollback or a repair',
      default: '',
    })
    parameter.overrideLogicalId(atOnceParameter)
    const isCanary = new CfnCondition(this, 'IsCanary', {
      expression: Fn.conditionNot(Fn.conditionEquals(parameter.valueAsString, release)),
    })
    const ifCanary = (yes: unknown, no: unknown): IResolvable => Fn.conditionIf(isCanary.logicalId, yes, no)
    const { applicationName } = new LambdaApplication(this, 'Application')
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    })
    // Only they have enough calls that a tenth of them shows problems within five minutes.
    for (const area of areas.filter(isCalled)) {
      const group = new CfnDeploymentGroup(this, area.name, {
        applicationName,
        serviceRoleArn: role.roleArn,
        deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
        deploymentConfigName: ifCanary(
          'CodeDeployDefault.LambdaCanary10Percent5Minutes',
          'CodeDeployDefault.LambdaAllAtOnce',
        ).toString(),
        // An alarm that already rings would stop every deployment, also that of its fix.
        alarmConfiguration: {
          enabled: ifCanary(true, false),
          alarms: alarms.map((alarm) => ({ name: alarm.alarmName })),
        },
        autoRollbackConfiguration: { enabled: true, events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      })
      const alias = functions.of(area).node.defaultChild as CfnAlias // safe because Alias makes it its default child
      alias.cfnOptions.updatePolicy = {
        codeDeployLambdaAliasUpdate: { applicationName, deploymentGroupName: group.ref },
      }
      alias.addResourceDependency(group)
    }
  }
}

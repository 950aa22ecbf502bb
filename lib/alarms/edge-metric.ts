import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { alarmNamespace } from '../../domain/alarms.ts'
import type { Stage } from '../stage.ts'
import { period, watchedFromOutside } from './watched.ts'

/** The only Region with CloudFront's metrics. An alarm reads metrics of its own Region only. */
const metricsRegion = 'us-east-1'

/** With fewer errors in a period, a percentage says nothing. */
const fewestErrors = 5

/** Runs in Node's runtime with the AWS SDK that it contains. CloudFront reports a few minutes late. */
export const copyEdgeMetric = `
const { CloudWatchClient, GetMetricDataCommand, PutMetricDataCommand } = require('@aws-sdk/client-cloudwatch')
const there = new CloudWatchClient({ region: '${metricsRegion}' })
const here = new CloudWatchClient({})
const everyMs = ${period.toMilliseconds()}
exports.handler = async ({ distribution, stage }) => {
  const end = Math.floor(Date.now() / everyMs) * everyMs - everyMs
  const metric = (Id, MetricName, Stat) => ({
    Id,
    MetricStat: {
      Metric: {
        Namespace: 'AWS/CloudFront',
        MetricName,
        Dimensions: [{ Name: 'DistributionId', Value: distribution }, { Name: 'Region', Value: 'Global' }],
      },
      Period: everyMs / 1000,
      Stat,
    },
  })
  const { MetricDataResults } = await there.send(new GetMetricDataCommand({
    StartTime: new Date(end - everyMs),
    EndTime: new Date(end),
    MetricDataQueries: [metric('requests', 'Requests', 'Sum'), metric('errors', '5xxErrorRate', 'Average')],
  }))
  const read = (id) => MetricDataResults.find(({ Id }) => Id === id)?.Values?.[0] ?? 0
  const rate = read('errors')
  const few = (read('requests') * rate) / 100 < ${fewestErrors}
  await here.send(new PutMetricDataCommand({
    Namespace: '${alarmNamespace}',
    MetricData: [{
      MetricName: '${watchedFromOutside.edge}',
      Dimensions: [{ Name: 'stage', Value: stage }],
      Value: few ? 100 : 100 - rate,
      Unit: 'Percent',
    }],
  }))
}
`

/** Copies CloudFront's error rate to the stage's Region every five minutes. */
export class EdgeMetric extends Construct {
  constructor(scope: Construct, id: string, { stage, distributionId }: { stage: Stage; distributionId: string }) {
    super(scope, id)
    const copy = new LambdaFunction(this, 'Copy', {
      description: 'Copies the error rate of CloudFront to this Region',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromInline(copyEdgeMetric),
      timeout: Duration.seconds(30),
      logGroup: new LogGroup(this, 'Logs', { retention: stage.logDays, removalPolicy: RemovalPolicy.DESTROY }),
    })
    // The actions know no resources.
    copy.addToRolePolicy(new PolicyStatement({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }))
    copy.addToRolePolicy(
      new PolicyStatement({
        actions: ['cloudwatch:PutMetricData'],
        resources: ['*'],
        conditions: { StringEquals: { 'cloudwatch:namespace': alarmNamespace } },
      }),
    )
    new Rule(this, 'Rule', { schedule: Schedule.rate(period) }).addTarget(
      new LambdaTarget(copy, {
        event: RuleTargetInput.fromObject({ distribution: distributionId, stage: stage.name }),
      }),
    )
  }
}

import { AlarmStatusWidget, Dashboard, GraphWidget, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Stage } from '../stage.ts'
import type { Watched } from './watched.ts'

/** The operators' CloudWatch dashboard: all alarms, and graphs by section of the runbook. */
export class MetricsDashboard extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stage, watched, alarms }: { stage: Stage; watched: readonly Watched[]; alarms: IAlarm[] },
  ) {
    super(scope, id)
    const graphs = [...Map.groupBy(watched, ({ section }) => section)].map(
      ([title, all]) =>
        new GraphWidget({
          title,
          width: 8,
          left: all.map(({ metric }) => metric),
          leftYAxis: { min: 0 },
          leftAnnotations: [...new Set(all.map(({ threshold }) => threshold))].map((value) => ({ value })),
        }),
    )
    new Dashboard(this, 'Dashboard', {
      dashboardName: `berth-${stage.name}`,
      defaultInterval: Duration.days(1),
      widgets: [[new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 6 })], graphs],
    })
  }
}

import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Aws } from 'aws-cdk-lib/core'
import { firewallName } from '../edge/firewall.ts'
import { minutes, own, period, type Watched, type WatchedResources, watchedFromOutside } from './watched.ts'

/** Alarms of AWS's services around the functions. */
export const outside = (of: WatchedResources): Watched[] => [
  ...mails(),
  blocked(of),
  socketErrors(of),
  ...(of.stage.disposable ? [] : [backups()]),
  ...(of.stage.alarmMail ? [edge(of), addresses(of)] : []),
]

/** Account-wide. SES reviews at 5 % bounces and 0.1 % complaints, and stops at 10 % and 0.5 %. */
const mails = (): Watched[] =>
  [
    { id: 'mail-bounces', metricName: 'Reputation.BounceRate', threshold: 0.03, says: 'Mails come back: 3 % of them.' },
    {
      id: 'mail-complaints',
      metricName: 'Reputation.ComplaintRate',
      threshold: 0.0008,
      says: 'People call our mails spam: 0.08 % of them.',
    },
  ].map(({ metricName, ...watched }) => ({
    ...watched,
    section: 'mail-reputation',
    metric: new Metric({ namespace: 'AWS/SES', metricName, statistic: 'Maximum', period: minutes(60) }),
  }))

function blocked({ stage }: WatchedResources): Watched {
  const requests = (metricName: string) =>
    new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      dimensionsMap: { WebACL: firewallName(stage), Region: Aws.REGION, Rule: 'ALL' },
      statistic: 'Sum',
      period,
    })
  return {
    id: 'firewall-blocks',
    section: 'firewall-blocks',
    says: 'The firewall blocks more than one request in ten.',
    metric: new MathExpression({
      expression: 'IF(blocked >= 100, 100 * blocked / (blocked + FILL(allowed, 0)), 0)',
      usingMetrics: { blocked: requests('BlockedRequests'), allowed: requests('AllowedRequests') },
      label: 'blocked requests, %',
      period,
    }),
    threshold: 10,
  }
}

/** Not `IntegrationError`, which also counts refused connections. */
const socketErrors = ({ socket }: WatchedResources): Watched => ({
  id: 'socket-errors',
  section: 'socket-errors',
  says: 'API Gateway could not call the function of the WebSocket API ten times in five minutes.',
  metric: socket.metric('ExecutionError', period),
  threshold: 10,
})

/** The vault of EFS's automatic backups, which all file systems of the account share. */
const vault = 'aws/efs/automatic-backup-vault'

function backups(): Watched {
  const day = minutes(24 * 60)
  const jobs = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Backup',
      metricName,
      dimensionsMap: { BackupVaultName: vault },
      statistic: 'Sum',
      period: day,
    })
  return {
    id: 'backups',
    section: 'backups',
    says: 'A backup of the volumes failed, expired or was aborted.',
    metric: new MathExpression({
      expression: 'FILL(failed, 0) + FILL(expired, 0) + FILL(aborted, 0)',
      usingMetrics: {
        failed: jobs('NumberOfBackupJobsFailed'),
        expired: jobs('NumberOfBackupJobsExpired'),
        aborted: jobs('NumberOfBackupJobsAborted'),
      },
      label: 'backups that failed',
      period: day,
    }),
    threshold: 1,
  }
}

const edge = ({ stage }: WatchedResources): Watched => ({
  id: 'edge-errors',
  section: 'edge-errors',
  says: 'For a quarter of an hour, CloudFront answers more than one request in twenty with 5xx, or nothing is known.',
  metric: own(stage, watchedFromOutside.edge, { statistic: 'Minimum' }),
  threshold: 95,
  periods: 3,
  mustBeSeen: true,
  pages: true,
})

const addresses = ({ stage }: WatchedResources): Watched => ({
  id: 'alarm-address',
  section: 'alarm-address',
  says: 'Nobody has confirmed the address of a topic of alarms, or the hourly check does not run.',
  metric: own(stage, watchedFromOutside.addresses, { statistic: 'Minimum', every: minutes(60) }),
  threshold: 1,
  periods: 3,
  mustBeSeen: true,
})

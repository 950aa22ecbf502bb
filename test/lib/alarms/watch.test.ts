import { runInNewContext } from 'node:vm'
import { copyEdgeMetric } from '../../../lib/alarms/edge-metric.ts'
import { at, deployments, type Synthesis } from '../synthesis.ts'

let production: Synthesis
beforeAll(async () => {
  ;({ production } = await deployments())
})

describe('the copy of CloudFront’s metric', () => {
  interface Sent {
    region: string | undefined
    input: Record<string, unknown>
  }

  /** The requests to CloudWatch of a run, in a period with this many requests and this error rate. */
  async function run(requests: number | undefined, rate: number | undefined): Promise<Sent[]> {
    const sent: Sent[] = []
    const command = class {
      readonly input: Record<string, unknown>
      constructor(input: Record<string, unknown>) {
        this.input = input
      }
    }
    const client = class {
      readonly options: { region?: string }
      constructor(options: { region?: string }) {
        this.options = options
      }
      async send({ input }: InstanceType<typeof command>) {
        sent.push({ region: this.options.region, input })
        const values = (value?: number) => (value === undefined ? [] : [value])
        return {
          MetricDataResults: [
            { Id: 'requests', Values: values(requests) },
            { Id: 'errors', Values: values(rate) },
          ],
        }
      }
    }
    const exports: { handler?: (event: object) => Promise<void> } = {}
    const sdk = { CloudWatchClient: client, GetMetricDataCommand: command, PutMetricDataCommand: command }
    runInNewContext(copyEdgeMetric, { exports, require: () => sdk, Date, Math })
    await exports.handler?.({ distribution: 'E1', stage: 'production' })
    return sent
  }

  test('is read in the only Region that has it, and written in the stage’s', async () => {
    const [read, written] = await run(1_000, 12)
    expect([read?.region, written?.region]).toEqual(['us-east-1', undefined])
    expect(JSON.stringify(read?.input)).toContain('"Value":"E1"')
    expect(written?.input).toMatchObject({
      Namespace: 'Berth',
      MetricData: [
        { MetricName: 'EdgeSucceededPercent', Dimensions: [{ Name: 'stage', Value: 'production' }], Value: 88 },
      ],
    })
  })

  test.each([
    ['without requests', undefined, undefined],
    ['with a few errors at night', 8, 50],
  ])('%s reports success', async (_, requests, rate) => {
    const [, written] = await run(requests, rate)
    expect(at(written?.input, 'MetricData', 0, 'Value')).toBe(100)
  })

  test('fits into the template', () => expect(copyEdgeMetric.length).toBeLessThan(4_096))
})

describe('reminders', () => {
  const machines = (of: Synthesis) =>
    of.ofType('AWS::StepFunctions::StateMachine').filter(([id]) => id.startsWith('AlarmsReminders'))
  const definition = () => JSON.stringify(at(machines(production)[0]?.[1], 'Properties'))

  test('run each hour for both topics, and may read alarms, publish and count addresses', () => {
    const [[, rule] = []] = production.ofType('AWS::Events::Rule').filter(([id]) => id.startsWith('AlarmsReminders'))
    expect(rule?.Properties.ScheduleExpression).toBe('rate(1 hour)')
    const targets = JSON.stringify(rule?.Properties.Targets)
    expect(targets).toMatch(/AlarmsPage.*everyHours\W+4\D.*AlarmsTicket.*everyHours\W+24\D/)
    for (const action of [
      'cloudwatch:describeAlarms',
      'sns:listSubscriptionsByTopic',
      'sns:publish',
      'cloudwatch:putMetricData',
    ])
      expect(definition()).toContain(action)
  })

  test('exist only with an address', async () => {
    const { dev } = await deployments()
    expect(machines(dev)).toEqual([])
    const watched = dev.ofType('AWS::CloudWatch::Alarm').map(([id]) => id)
    expect(watched.filter((id) => /edgeerrors|alarmaddress/.test(id))).toEqual([])
  })
})

import { jest } from '@jest/globals'
import { alarms as toStdout } from '../../../adapters/aws/alarms.ts'
import { type AlarmName, alarmNamespace, alarms } from '../../../domain/alarms.ts'
import { at, deployments } from '../../lib/synthesis.ts'

afterEach(() => jest.restoreAllMocks())

/** What a function writes to standard output itself, past the console that Lambda wraps. */
function printed(stage: string, name: AlarmName): string {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  toStdout(stage).raise(name, 7, { code: 'image' })
  return String(written.mock.calls[0]?.[0])
}

test.each(Object.keys(alarms) as AlarmName[])(
  'what %s is raised with is a line of its own, and the metric that the stage’s alarm watches',
  async (name) => {
    const { production } = await deployments()
    const watched = production
      .ofType('AWS::CloudWatch::Alarm')
      .map(([, { Properties }]) => Properties)
      .filter(({ Namespace, MetricName }) => Namespace === alarmNamespace && MetricName === name)
    expect(watched).toMatchObject([{ Statistic: 'Sum', Threshold: 1, TreatMissingData: 'notBreaching' }])
    const line = printed('production', name)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    const { _aws, ...facts } = JSON.parse(line)
    expect(facts).toEqual({ level: 'ERROR', code: 'image', stage: 'production', [name]: 7 })
    const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics
    expect([Namespace, Metrics]).toEqual([alarmNamespace, [{ Name: name, Unit: 'Count' }]])
    const dimensions = Dimensions[0].map((dimension: string) => ({ Name: dimension, Value: facts[dimension] }))
    expect(at(watched, 0, 'Dimensions')).toEqual(dimensions)
    expect(_aws.Timestamp).toBeGreaterThan(Date.now() - 60_000)
  },
)

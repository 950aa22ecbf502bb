import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../lib/build/bundle.ts'
import { at, deployments, type Synthesis } from '../synthesis.ts'

const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(' ', '-')
/** Headings that belong to no alarm. */
/** Sections that no alarm of CloudWatch names. */
const general = ['budget', 'A deployment that was rolled back', 'Following one request', 'Reading a stack']

let production: Synthesis
let alarms: [id: string, properties: Record<string, unknown>][]
beforeAll(async () => {
  ;({ production } = await deployments())
  alarms = production.ofType('AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [id, Properties])
})

describe('alarms', () => {
  test('match the sections of the runbook', () => {
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
    const sections = alarms.map(
      ([, { AlarmDescription }]) => /docs\/runbook\.md#([\w-]+)$/.exec(String(AlarmDescription))?.[1],
    )
    expect([...new Set(sections)].sort()).toEqual(
      headings
        .filter((heading) => !general.includes(heading))
        .map(anchorOf)
        .sort(),
    )
    for (const heading of general) expect(headings).toContain(heading)
  })

  test('use no more metrics than CloudWatch allows, and a single period each', () => {
    const expressions = alarms.flatMap(([, { Metrics }]) => (Array.isArray(Metrics) ? [Metrics] : []))
    expect(expressions.length).toBeGreaterThan(5)
    for (const metrics of expressions) {
      const read = metrics.filter((metric) => metric.MetricStat)
      expect(read.length).toBeLessThanOrEqual(10)
      expect(new Set(read.map((metric) => at(metric, 'MetricStat', 'Period'))).size).toBeLessThanOrEqual(1)
      expect(metrics.filter((metric) => metric.ReturnData !== false)).toHaveLength(1)
      // The expression contains every metric that is read, and no other.
      const [{ Expression }] = metrics.filter((metric) => metric.Expression)
      const used = String(Expression).match(/\b(f\d+|errors|requests|lambda|fargate|spot)\b/g) ?? []
      expect([...new Set(used)].sort()).toEqual(read.map(({ Id }) => Id).sort())
    }
  })

  test('watch the errors of every function', () => {
    const watched = alarms.flatMap(([, { Metrics }]) =>
      Array.isArray(Metrics)
        ? Metrics.filter((metric) => at(metric, 'MetricStat', 'Metric', 'Namespace') === 'AWS/Lambda')
        : [],
    )
    const named = watched.map((metric) => JSON.stringify(at(metric, 'MetricStat', 'Metric', 'Dimensions', 0, 'Value')))
    const functions = production
      .ofType('AWS::Lambda::Function')
      .filter(([, { Properties }]) => Properties.FunctionName)
      .map(([id]) => JSON.stringify({ Ref: id }))
    expect(named.sort()).toEqual(functions.sort())
  })

  test('are all on the dashboard, each with its graph', () => {
    const [[, dashboard] = [], ...others] = production.ofType('AWS::CloudWatch::Dashboard')
    expect(others).toEqual([])
    const body = JSON.stringify(dashboard?.Properties.DashboardBody)
    for (const [id, { MetricName, AlarmDescription }] of alarms) {
      expect(body).toContain(`"${id}","Arn"`)
      expect(body).toContain(`\\"title\\":\\"${/#([\w-]+)$/.exec(String(AlarmDescription))?.[1]}`.slice(0, 8))
      if (MetricName) expect(body).toContain(String(MetricName))
    }
  })
})

describe('the budget', () => {
  test('is created after all other resources, and only if the stage’s file sets it', async () => {
    const [[id, budget] = []] = production.ofType('AWS::Budgets::Budget')
    const others = Object.keys(production.stacks.service).filter((each) => each !== id)
    expect(others.filter((each) => !budget?.DependsOn?.includes(each))).toEqual([])
    expect((await deployments()).bare.ofType('AWS::Budgets::Budget')).toEqual([])
  })

  test('notifies the stage’s address before it is spent, and has the amount of the stage’s file', () => {
    const [[, budget] = []] = production.ofType('AWS::Budgets::Budget')
    expect(at(budget, 'Properties', 'Budget', 'BudgetLimit')).toEqual({ Amount: 500, Unit: 'USD' })
    const notices = at(budget, 'Properties', 'NotificationsWithSubscribers') as object[] // safe because a budget has them
    expect(notices.map((notice) => at(notice, 'Notification', 'NotificationType'))).toEqual(['ACTUAL', 'FORECASTED'])
    for (const notice of notices)
      expect(at(notice, 'Subscribers')).toEqual([{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }])
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas } from '../../../lambdas/areas.ts'
import { isCalled } from '../../../lambdas/kit/area.ts'
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
      const used = String(Expression).match(/\b[a-z]\w*\b/g) ?? []
      expect([...new Set(used)].sort()).toEqual([...new Set(read.map(({ Id }) => Id))].sort())
    }
  })

  test('watch the errors of every function', () => {
    const watched = alarms.flatMap(([, { Metrics }]) =>
      Array.isArray(Metrics)
        ? Metrics.filter((metric) => at(metric, 'MetricStat', 'Metric', 'MetricName') === 'Errors')
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

describe('a page', () => {
  const actionsOf = (pages: boolean) =>
    alarms
      .filter(([, { AlarmActions }]) => JSON.stringify(AlarmActions).includes(pages ? 'AlarmsPage' : 'AlarmsTicket'))
      .map(([id]) => id.replace(/^Alarms|[0-9A-F]{8}$/g, ''))

  test('is only what cannot wait for the morning, and no single user can cause', () => {
    expect(actionsOf(true).filter((id) => !id.startsWith('late'))).toEqual([
      ...['api5xxmany', 'firstword', 'provideroutage'],
      ...['BooksOutOfBalance', 'CostAboveHoldMicros', 'InstancesStuck', 'SettlementFailed', 'edgeerrors'],
    ])
    expect(actionsOf(true).length + actionsOf(false).length).toBe(alarms.length)
  })
})

describe('a provider’s outage', () => {
  test('does not count as an error of the API, so it takes no release back', () => {
    const expressions = alarms
      .filter(([id]) => id.startsWith('Alarmsapi5xx'))
      .map(([, { Metrics }]) => Metrics as { Expression?: string; MetricStat?: object }[]) // safe because both are expressions
    expect(expressions).toHaveLength(2)
    for (const metrics of expressions) {
      expect(metrics.find(({ Expression }) => Expression)?.Expression).toContain('errors - 1.1 * FILL(provider, 0)')
      expect(JSON.stringify(metrics)).toContain('"MetricName":"ProviderErrorAnswered"')
    }
  })
})

describe('alarms of refused calls', () => {
  const namesIn = (id: string, dimension: string) =>
    alarms
      .filter(([name]) => name.startsWith(id))
      .flatMap(([, { Metrics }]) => Metrics as object[]) // safe because these alarms are expressions
      .flatMap(
        (metric) => (at(metric, 'MetricStat', 'Metric', 'Dimensions') ?? []) as { Name: string; Value: unknown }[],
      ) // safe because a metric has a list
      .filter(({ Name }) => Name === dimension)
      .map(({ Value }) => JSON.stringify(Value))

  test('name every table of the stage, and query no others', () => {
    const tables = production.ofType('AWS::DynamoDB::Table').length
    expect(new Set(namesIn('Alarmsstorethrottles', 'TableName')).size).toBe(tables)
    expect(JSON.stringify(alarms)).not.toContain('SELECT')
  })

  test('leave out functions for which Lambda queues', () => {
    const named = namesIn('Alarmsfunctionthrottles', 'FunctionName').join()
    for (const area of areas)
      expect([area.name, named.includes(`"Functions${area.name.replaceAll('-', '')}`)]).toEqual([
        area.name,
        isCalled(area),
      ])
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

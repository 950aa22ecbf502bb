import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alarmNamespace } from '../../domain/alarms.ts'
import { makeApp } from '../app.ts'
import { bundleFolder, imageProvider, writeEntryPoints } from '../build/bundle.ts'
import { loadStage } from '../stage.ts'
import type { TemplateFacts } from './quotas.ts'

/** A production stage; its numbers depend only on the code. */
const stage = { ...(await loadStage('example')), name: 'production' }

interface Resource {
  Type: string
  Properties?: Record<string, unknown>
}

/** Minutes of `rate(5 minutes)`; null for a rule that events start. */
function rateOf(expression: unknown): number | null {
  const [, count] = /^rate\((\d+) minutes?\)$/.exec(String(expression)) ?? []
  return count === undefined ? null : Number(count)
}

interface ReadMetric {
  Namespace?: unknown
  MetricName?: unknown
  Dimensions?: unknown
}

/** The metrics that an alarm reads: its own one, or those that its expression names. */
function metricsOf(alarm: Record<string, unknown>): ReadMetric[] {
  if (!Array.isArray(alarm.Metrics)) return [alarm]
  return alarm.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: ReadMetric } }) =>
    MetricStat ? [MetricStat.Metric] : [],
  )
}

const nameOf = ({ MetricName, Dimensions }: ReadMetric): string => JSON.stringify([MetricName, Dimensions])

const minutesOfMonth = 31 * 24 * 60

export function readFacts(folder: string): TemplateFacts {
  const templates = readdirSync(folder).filter((name) => name.endsWith('.template.json'))
  const resources = templates.flatMap((name): [string, Resource][] =>
    Object.entries(JSON.parse(readFileSync(join(folder, name), 'utf8')).Resources),
  )
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type)
  const functions = ofType('AWS::Lambda::Function').flatMap(([id, { Properties = {} }]) => {
    const [, area] = new RegExp(`^berth-${stage.name}-(.+)$`).exec(String(Properties.FunctionName)) ?? []
    return area === undefined ? [] : [{ id, area, memory: Number(Properties.MemorySize), properties: Properties }]
  })
  const aliases = ofType('AWS::Lambda::Alias')
  const clockInvocations: Record<string, number> = {}
  for (const [, { Properties = {} }] of ofType('AWS::Events::Rule')) {
    const minutes = rateOf(Properties.ScheduleExpression)
    const [, alias] = aliases.find(([id]) => JSON.stringify(Properties.Targets).includes(`"${id}"`)) ?? []
    const invoked = functions.find(({ id }) => JSON.stringify(alias?.Properties?.FunctionName) === `{"Ref":"${id}"}`)
    if (minutes === null || !invoked) continue
    clockInvocations[invoked.area] = (clockInvocations[invoked.area] ?? 0) + minutesOfMonth / minutes
  }
  const tables = ofType('AWS::DynamoDB::Table').length
  const alarms = ofType('AWS::CloudWatch::Alarm').map(([, { Properties = {} }]) => Properties)
  const firewalls = ofType('AWS::WAFv2::WebACL')
  return {
    functionMiB: Object.fromEntries(functions.map(({ area, memory }) => [area, memory])),
    reservedExecutions: functions.reduce(
      (sum, { properties }) => sum + Number(properties.ReservedConcurrentExecutions ?? 0),
      0,
    ),
    roles: ofType('AWS::IAM::Role').length,
    tables,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    keys: ofType('AWS::KMS::Key').length,
    alarmMetrics: alarms.flatMap(metricsOf).length,
    ownMetrics: new Set(
      alarms.flatMap(metricsOf).flatMap((metric) => (metric.Namespace === alarmNamespace ? [nameOf(metric)] : [])),
    ).size,
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    firewalls: firewalls.length,
    firewallRules: firewalls.reduce((sum, [, { Properties }]) => sum + [Properties?.Rules ?? []].flat().length, 0),
    clockInvocations,
  }
}

/** The facts of the current code's template, without the functions' code. */
export function factsOfTemplate(): TemplateFacts {
  const folder = mkdtempSync(join(tmpdir(), 'berth-template-'))
  try {
    const [built, outdir] = [join(folder, 'built'), join(folder, 'out')]
    writeEntryPoints(built)
    mkdirSync(bundleFolder(built, imageProvider))
    mkdirSync(join(built, 'dashboard/assets'), { recursive: true })
    writeFileSync(join(built, 'dashboard', 'index.html'), '<!doctype html><title>Berth</title>')
    makeApp({ stage, outdir, built, checked: false }).synth()
    return readFacts(outdir)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

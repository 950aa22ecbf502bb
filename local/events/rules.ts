/** The template's EventBridge rules: events by pattern, and schedules by the clock. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Functions } from '../functions/functions.ts'
import { nameIn } from '../functions/invoked.ts'
import type { MayInvoke } from '../functions/principals.ts'
import { messageOf } from '../kit/problem.ts'
import type { Json, JsonObject } from '../template/json.ts'
import { asList, asObject, asText } from '../template/json.ts'
import { account, region } from '../template/resource-types.ts'
import type { Template } from '../template/template.ts'
import { checkPattern, matches } from './pattern.ts'
import type { Due } from './schedule.ts'
import { parseSchedule } from './schedule.ts'

interface Target {
  arn: string
  input(event: JsonObject): Json
}

interface Rule {
  arn: string
  bus: string
  pattern: JsonObject | undefined
  due: Due | undefined
  targets: Target[]
}

export interface EventRules {
  /** Passes an event to all matching rules and returns at once. @param bus name or ARN */
  emit(bus: string, event: object): void
  tick(now: Date): void
  start(): void
  /** Waits at most 2 s for current deliveries, but not for retries. */
  stop(): Promise<void>
}

const minuteMs = 60_000
const stopTimeoutMs = 2000

/** @param retryMs waits before retries, much shorter by default than Lambda's one and two minutes */
export function createEventRules(
  template: Template,
  functions: Functions,
  log: (line: string) => void,
  retryMs: number[] = [1000, 2000],
  mayInvoke: MayInvoke = () => true,
): EventRules {
  const rules = template
    .ofType('AWS::Events::Rule')
    .filter(({ properties }) => properties.State !== 'DISABLED')
    .map(({ arn, properties }) => readRule(arn, properties, functions))
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined

  const deliver = async (target: Target, event: JsonObject) => {
    let failure = ''
    for (const wait of [0, ...retryMs]) {
      if (wait > 0) await sleep(wait, undefined, { signal: stopping.signal })
      const outcome = await functions.invoke(target.arn, target.input(event))
      if (outcome.ok) return
      failure = outcome.error.errorMessage
    }
    log(`${nameIn(target.arn)} failed ${retryMs.length + 1} times on ${asText(event['detail-type'])}: ${failure}`)
  }
  const run = (rule: Rule, event: JsonObject) => {
    for (const target of rule.targets) {
      if (!mayInvoke(target.arn, 'events.amazonaws.com', rule.arn)) continue
      const delivery = deliver(target, event)
        .catch((error) => {
          if (!stopping.signal.aborted) log(`A delivery failed: ${messageOf(error)}`)
        })
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    }
  }
  const tick = (now: Date) => {
    for (const rule of rules) if (rule.due?.(now)) run(rule, scheduledEvent(rule.arn, now))
  }
  const scheduleTick = () => {
    timer = setTimeout(
      () => {
        tick(new Date())
        scheduleTick()
      },
      minuteMs - (Date.now() % minuteMs),
    )
    timer.unref()
  }
  return {
    emit: (bus, sent) => {
      // EventBridge delivers JSON.
      const event = asObject(JSON.parse(JSON.stringify(sent)))
      for (const rule of rules) {
        if (rule.pattern && rule.bus === busName(bus) && matches(rule.pattern, event)) run(rule, event)
      }
    },
    tick,
    start: scheduleTick,
    stop: async () => {
      clearTimeout(timer)
      stopping.abort()
      await Promise.race([Promise.all(underWay), sleep(stopTimeoutMs, undefined, { ref: false })])
    },
  }
}

function readRule(arn: string, properties: JsonObject, functions: Functions): Rule {
  const { EventBusName, EventPattern, ScheduleExpression, Targets } = properties
  const pattern = EventPattern === undefined ? undefined : asObject(EventPattern)
  if (pattern) checkPattern(pattern)
  return {
    arn,
    bus: busName(asText(EventBusName, 'default')),
    pattern,
    due: ScheduleExpression === undefined ? undefined : parseSchedule(asText(ScheduleExpression)),
    targets: asList(Targets).map((raw) => readTarget(arn, asObject(raw), functions)),
  }
}

function readTarget(rule: string, target: JsonObject, functions: Functions): Target {
  const { Arn, Input, InputPath, InputTransformer } = target
  const arn = asText(Arn)
  if (!functions.has(arn)) throw new Error(`The rule ${rule} targets ${arn}, which is no function of the template`)
  if (InputTransformer !== undefined)
    throw new Error(`The rule ${rule} has an InputTransformer, which does not run here`)
  if (Input !== undefined) {
    const constant: Json = JSON.parse(asText(Input))
    return { arn, input: () => constant }
  }
  const path = asText(InputPath, '$').split('.').slice(1)
  return { arn, input: (event) => path.reduce<Json>((at, key) => asObject(at)[key] ?? null, event) }
}

function scheduledEvent(rule: string, now: Date): JsonObject {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account,
    time: `${now.toISOString().slice(0, 19)}Z`,
    region,
    resources: [rule],
    detail: {},
  }
}

function busName(bus: string): string {
  return bus.split('/').pop() ?? bus
}

import { checkPattern, matches } from '../../local/events/pattern.ts'
import { createEventRules } from '../../local/events/rules.ts'
import { parseSchedule } from '../../local/events/schedule.ts'
import type { Functions, Outcome } from '../../local/functions/functions.ts'
import type { Json, JsonObject } from '../../local/template/json.ts'
import { readTemplate } from '../../local/template/template.ts'
import { until } from '../until.ts'
import { lambda, writeAssembly } from './assembly.ts'

describe('patterns', () => {
  const event: JsonObject = {
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    detail: { lastStatus: 'STOPPED', exitCode: 137, group: 'family:usr', tags: ['a', 'b'], nothing: null },
  }
  const detail = (key: string, ...matcher: Json[]) => ({ detail: { [key]: matcher } })

  test.each<[string, JsonObject, boolean]>([
    ['every field must match', { source: ['aws.ecs'], detail: { lastStatus: ['STOPPED'] } }, true],
    ['one field that differs', { source: ['aws.ecs'], detail: { lastStatus: ['RUNNING'] } }, false],
    ['any of several values', { source: ['berth', 'aws.ecs'] }, true],
    ['prefix', detail('group', { prefix: 'family:' }), true],
    ['prefix of another value', detail('group', { prefix: 'service:' }), false],
    ['suffix', detail('group', { suffix: 'usr' }), true],
    ['anything-but', detail('lastStatus', { 'anything-but': ['RUNNING'] }), true],
    ['anything-but this value', detail('lastStatus', { 'anything-but': 'STOPPED' }), false],
    ['anything-but a prefix', detail('group', { 'anything-but': { prefix: 'family:' } }), false],
    ['anything-but with a missing field', detail('ghost', { 'anything-but': 'x' }), false],
    ['exists', detail('exitCode', { exists: true }), true],
    ['exists false', detail('ghost', { exists: false }), true],
    ['exists, with a missing field', detail('ghost', { exists: true }), false],
    ['numeric', detail('exitCode', { numeric: ['>', 0, '<=', 137] }), true],
    ['numeric out of range', detail('exitCode', { numeric: ['<', 137] }), false],
    ['a number is not equal to its text', detail('exitCode', '137'), false],
    ['a value of a list in the event', detail('tags', 'b'), true],
    ['null', detail('nothing', null), true],
    ['a missing level', { detail: { ghost: { deeper: ['x'] } } }, false],
    ['$or', { $or: [{ source: ['x'] }, { detail: { exitCode: [137] } }] }, true],
    ['equals-ignore-case', detail('lastStatus', { 'equals-ignore-case': 'stopped' }), true],
  ])('%s', (_, pattern, expected) => {
    expect(matches(pattern, event)).toBe(expected)
  })

  test('reject an unknown matcher', () => {
    expect(() => checkPattern({ detail: { a: [{ magic: 1 }] } })).toThrow('"magic"')
  })
})

describe('schedules', () => {
  const at = (text: string) => new Date(`${text}Z`)

  test.each([
    ['rate(1 minute)', '2026-11-21T10:07', true],
    ['rate(5 minutes)', '2026-11-21T10:05', true],
    ['rate(5 minutes)', '2026-11-21T10:06', false],
    ['rate(1 day)', '2026-11-21T00:00', true],
    ['cron(30 4 * * ? *)', '2026-11-21T04:30', true],
    ['cron(30 4 * * ? *)', '2026-11-21T04:31', false],
    ['cron(0/15 * ? * MON-FRI *)', '2026-11-20T11:45', true],
    ['cron(0/15 * ? * MON-FRI *)', '2026-11-21T11:45', false],
    ['cron(0 9 1,15 * ? 2026)', '2026-11-15T09:00', true],
  ])('%s at %s: %s', (expression, time, due) => {
    expect(parseSchedule(expression)(at(time))).toBe(due)
  })

  test.each(['rate(0 minutes)', 'every(5)', 'cron(61 * * * ? *)', 'cron(* * * * *)', 'cron(a * * * ? *)'])(
    '%s is an error',
    (expression) => {
      expect(() => parseSchedule(expression)).toThrow()
    },
  )
})

describe('rules', () => {
  const target = (more: JsonObject = {}) => ({ Targets: [{ Id: '0', Arn: { 'Fn::GetAtt': ['Fn', 'Arn'] }, ...more }] })
  const rule = (properties: JsonObject) => ({ Type: 'AWS::Events::Rule', Properties: properties })
  const bus = { Type: 'AWS::Events::EventBus', Properties: { Name: 'berth' } }

  function setUp(rules: JsonObject, answers: Outcome[] = []) {
    const seen: unknown[] = []
    const lines: string[] = []
    const functions: Functions = {
      has: (arn) => arn.endsWith(':S-Fn'),
      invoke: async (_, event) => {
        seen.push(event)
        return answers.shift() ?? { ok: true, payload: null }
      },
      invokeStreaming: () => {
        throw new Error('not used')
      },
    }
    const template = readTemplate(
      writeAssembly({ S: { resources: { Fn: lambda('one'), Bus: bus, ...rules } } }, { one: '' }),
    )
    return { seen, lines, rules: createEventRules(template, functions, (line) => lines.push(line), [1, 2]) }
  }

  test('deliver an event on their own bus only, which is given by name or ARN', async () => {
    const pattern = { EventPattern: { source: ['x'] } }
    const { seen, rules } = setUp({
      Own: rule({ EventBusName: { Ref: 'Bus' }, ...pattern, ...target({ InputPath: '$.detail' }) }),
      Default: rule({ ...pattern, ...target({ Input: '{"from":"default"}' }) }),
      Off: rule({ ...pattern, ...target(), State: 'DISABLED' }),
    })
    rules.emit('arn:aws:events:us-east-1:000000000000:event-bus/berth', { source: 'x', detail: { n: 1 } })
    rules.emit('default', { source: 'x', detail: { n: 2 } })
    rules.emit('berth', { source: 'y', detail: { n: 3 } })
    await rules.stop()
    expect(seen).toEqual([{ n: 1 }, { from: 'default' }])
  })

  test('retry a failure twice, then log it', async () => {
    const failure: Outcome = { ok: false, error: { errorType: 'Error', errorMessage: 'broken' } }
    const { seen, lines, rules } = setUp({ R: rule({ EventPattern: { source: ['x'] }, ...target() }) }, [
      failure,
      failure,
      failure,
    ])
    rules.emit('default', { source: 'x', 'detail-type': 'T' })
    await until(() => lines.length > 0)
    expect(seen).toHaveLength(3)
    expect(lines).toEqual(['S-Fn failed 3 times on T: broken'])
  })

  test('send the event that EventBridge sends for a schedule', async () => {
    const { seen, rules } = setUp({ R: rule({ ScheduleExpression: 'rate(5 minutes)', ...target() }) })
    rules.tick(new Date('2026-11-21T10:06Z'))
    rules.tick(new Date('2026-11-21T10:10Z'))
    await rules.stop()
    expect(seen).toEqual([
      expect.objectContaining({ source: 'aws.events', 'detail-type': 'Scheduled Event', time: '2026-11-21T10:10:00Z' }),
    ])
  })

  test('reject a target that is not a function of the template', () => {
    expect(() => setUp({ R: rule({ EventPattern: {}, Targets: [{ Id: '0', Arn: 'arn:aws:sqs:x' }] }) })).toThrow(
      'no function',
    )
  })
})

import fc from 'fast-check'
import { atExpression, cronExpression } from '../../../adapters/aws/timers.ts'
import { nextRun, parseCron } from '../../../app/instance/cron.ts'
import { checkInterval, cronAt, runsInMonth } from '../../../domain/instance/schedules.ts'
import { readCron } from '../../../emulators/aws/schedule-expression.ts'
import { seeded } from '../../counts.ts'

const start = Date.UTC(2026, 10, 1, 12)

describe('a one-time schedule', () => {
  test('is set for its minute, and for the next one if that has passed', () => {
    expect(atExpression('2026-11-01T12:30:00.000Z', start)).toBe('at(2026-11-01T12:30:00)')
    expect(atExpression('2026-11-01T11:00:00.000Z', start)).toBe('at(2026-11-01T12:01:00)')
  })

  test('fires at that instant and never again', () => {
    const atMs = Date.UTC(2099, 1, 28, 23, 59)
    const timer = readCron(atExpression(new Date(atMs).toISOString(), start))
    expect(timer.nextRuns(2).map((run) => run.getTime())).toEqual([atMs])
    expect(nextRun(cronAt(atMs), 'UTC', atMs - 1)).toBe(atMs)
    expect(() => readCron('at(2099-02-28)')).toThrow()
  })
})

describe('a cron line', () => {
  test.each([
    ['0 8 * * 1-5', 'cron(0 8 ? * MON,TUE,WED,THU,FRI *)'],
    ['*/15 * * * *', 'cron(0,15,30,45 * * * ? *)'],
    ['30 6,18 1 * *', 'cron(30 6,18 1 * ? *)'],
    ['0 0 * JAN SUN', 'cron(0 0 ? 1 SUN *)'],
    ['0 0 * * 7', 'cron(0 0 ? * SUN *)'],
    ['5/20 0 * * *', 'cron(5,25,45 0 * * ? *)'],
  ])('%s is %s', (line, expression) => expect(cronExpression(line)).toBe(expression))

  test.each([
    '',
    '* * * * *',
    '60 * * * *',
    '0 8 1 * 1',
    '0 0 31 2 *',
    '0 8 * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '0 8 * * 1-',
    '@daily',
    '0 0 L * *',
    '0 0 * * 5#2',
    '0 0 * * MONDAY',
    '0 0 * * +1',
    '0 8 * * * *',
  ])('"%s" is refused with its field', (line) => expect(() => parseCron(line)).toThrow(/Invalid cron/))

  test('has the same next time as its EventBridge expression', () => {
    const two = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 3 })
    const weekdays = fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }))
    const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Phoenix', 'Asia/Tokyo')
    const line = fc.tuple(two(59), two(23), weekdays).map(([m, h, d]) => `${m} ${h} * * ${d ?? '*'}`)
    fc.assert(
      fc.property(line, zones, fc.nat({ max: 400 * 86_400 }), (text, timezone, seconds) => {
        const now = start + seconds * 1000
        const fires = readCron(cronExpression(text), timezone).nextRun(new Date(now))?.getTime() ?? null
        expect(nextRun(text, timezone, now)).toBe(fires)
      }),
      seeded(5_000),
    )
  })

  test.each([
    ['0 8 * * 1-5', 23],
    ['*/5 * * * *', 8_928],
    ['0 0,12 1 * *', 2],
    ['0 8 * * *', 31],
    ['0 8 * * 0', 5],
  ])('%s fires %i times in a long month', (line, runs) => expect(runsInMonth(parseCron(line))).toBe(runs))

  test.each([
    ['starter', '0 * * * *', true],
    ['starter', '0,59 8 * * *', false],
    ['starter', '50 8,9 * * *', true],
    ['starter', '*/30 * * * *', false],
    ['pro', '*/5 * * * *', true],
    ['pro', '0,4 8 * * *', false],
    ['pro', '58,2 * * * *', false],
    ['pro', '58,2 8 * * *', true],
    ['of old', '*/30 * * * *', false],
  ])('on the plan %s, "%s" is allowed: %s', (plan, line, may) => {
    const check = () => checkInterval(parseCron(line), plan)
    if (may) expect(check).not.toThrow()
    else expect(check).toThrow(/Invalid cron/)
  })

  test('keeps the local time across a clock change', () => {
    const before = Date.parse('2026-03-28T12:00:00Z')
    expect(nextRun('30 8 * * *', 'Europe/Berlin', before)).toBe(Date.parse('2026-03-29T06:30:00Z'))
    expect(nextRun('30 2 * * *', 'Europe/Berlin', before)).toBe(Date.parse('2026-03-30T00:30:00Z'))
    expect(nextRun('0 0 29 2 *', 'UTC', start)).toBe(Date.UTC(2028, 1, 29))
  })
})

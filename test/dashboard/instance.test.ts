import fc from 'fast-check'
import { parseCron } from '../../app/instance/cron.ts'
import { showDuration } from '../../dashboard/format.ts'
import { fitsFilter, levelOf, maxShownLines, mergeLines, readLine } from '../../dashboard/instance/log-lines.ts'
import {
  describeTimes,
  kinds,
  noTimes,
  readTimes,
  type Times,
  timesInput,
} from '../../dashboard/instance/schedule-times.ts'

const line = (at: number, message = `line ${at}`) => ({ at: new Date(at).toISOString(), machine: 'm1', message })

describe('the times of a schedule', () => {
  const times: fc.Arbitrary<Times> = fc.record({
    kind: fc.constantFrom(...kinds.filter((kind) => kind !== 'once' && kind !== 'custom')),
    time: fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
    minute: fc.integer({ min: 0, max: 59 }),
    weekday: fc.integer({ min: 0, max: 6 }),
    day: fc.integer({ min: 1, max: 31 }),
    at: fc.constant(''),
    cron: fc.constant('0 8 * * *'),
  })

  test('are written as a line that the service accepts, and parsed back unchanged', () => {
    fc.assert(
      fc.property(times, (given) => {
        const asked = timesInput(given)
        if (!('cron' in asked)) throw new Error('no cron line')
        expect(() => parseCron(asked.cron)).not.toThrow()
        const read = readTimes({ cron: asked.cron, at: null })
        expect(read.kind).toBe(given.kind)
        expect(timesInput(read)).toEqual(asked)
      }),
    )
  })

  test.each([
    ['0 8 * * 1-5', 'Monday to Friday at 8:00 AM'],
    ['30 17 * * 5', 'Every Friday at 5:30 PM'],
    ['0 9 * * 7', 'Every Sunday at 9:00 AM'],
    ['0 9 1 * *', 'Every month on day 1 at 9:00 AM'],
    ['15 * * * *', 'Every hour, 15 past'],
  ])('%s is described in words', (cron, said) => {
    const words = (exact: boolean) => describeTimes({ cron, at: null, exact })?.replace('\u202f', ' ')
    expect(words(true)).toBe(said)
    expect(words(false)).toBe(said.replace(' at ', ' around ').replace(', 15', ', around 15'))
  })

  test.each(['*/20 * * * *', '0 8,20 * * *', '0 8 1 1 *', '0 8 * * 1,3', '0 8-10 * * *'])(
    '%s has no words of its own and stays as it is',
    (cron) => {
      expect(describeTimes({ cron, at: null, exact: false })).toBeNull()
      expect(timesInput(readTimes({ cron, at: null }))).toEqual({ cron })
    },
  )

  test('a one-time schedule keeps its minute in any time zone of the browser', () => {
    const at = '2027-03-28T01:30:00.000Z'
    expect(timesInput(readTimes({ cron: '30 1 28 3 *', at }))).toEqual({ at })
    expect(timesInput({ ...noTimes, kind: 'once', at: 'soon' })).toEqual({ at: '' })
  })
})

describe('the log', () => {
  test('has each line once and sorted by time, however often and late it arrives', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 40 }))), (batches) => {
        const merged = batches.reduce(
          (before, came) =>
            mergeLines(
              before,
              came.map((at) => line(at)),
            ),
          mergeLines([], []),
        )
        const known = [...new Set(batches.flat())].sort((a, b) => a - b)
        expect(merged).toEqual(known.map((at) => line(at)))
      }),
    )
  })

  test('keeps the newest lines only', () => {
    const many = Array.from({ length: maxShownLines + 5 }, (_, at) => line(at))
    expect(mergeLines(many, [line(9_999)])).toEqual([...many.slice(6), line(9_999)])
  })

  test.each([
    ['{"level":"WARN","message":"no error here"}', 'warn'],
    ['{"at":"x","severity":"error"}', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['DeprecationWarning: deprecated', 'warn'],
    ['debug: 3 files', 'debug'],
    ['the terror of it', 'info'],
    ['', 'info'],
  ])('gives %s the level %s', (message, level) => {
    expect(levelOf(message)).toBe(level)
  })

  test.each([
    ['{"at":"x","part":"runtime","message":"closed","took":12,"ok":true}', 'closed', 'part=runtime took=12 ok=true'],
    ['{"message":"alone"}', 'alone', ''],
    ['{"message":3}', '{"message":3}', ''],
    ['{broken', '{broken', ''],
    ['[1]', '[1]', ''],
  ])('shows %s by its message', (message, text, facts) => {
    expect(readLine(message)).toEqual({ text, facts })
  })

  test('is filtered by all words and a minimum level', () => {
    const message = 'ERROR while Fetching mail'
    expect(fitsFilter(line(1, message), { filter: 'mail fetch', level: 'warn' })).toBe(true)
    expect(fitsFilter(line(1, message), { filter: 'mail post', level: 'all' })).toBe(false)
    expect(fitsFilter(line(1, 'all fine'), { filter: '', level: 'warn' })).toBe(false)
    expect(fitsFilter(line(1, 'all fine'), { filter: '', level: 'of-later' })).toBe(true)
  })
})

test.each([
  [0, '0s'],
  [40.4, '40s'],
  [75, '1m 15s'],
  [120, '2m'],
  [7_530, '2h 5m'],
  [90_000, '1d 1h'],
])('%s seconds are shown as %s', (seconds, shown) => {
  expect(showDuration(seconds)).toBe(shown)
})

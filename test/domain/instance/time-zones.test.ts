import { canonicalTimeZone, timeZoneHint, timeZones } from '../../../domain/instance/time-zones.ts'

const taken: [string, string][] = [
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  [' AMERICA/ARGENTINA/BUENOS_AIRES ', 'America/Argentina/Buenos_Aires'],
  ['Europe/Oslo', 'Europe/Oslo'],
  ['utc', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  // Older names: https://github.com/Abilityai/trinity/issues/1823, https://github.com/jackmusick/bifrost/pull/739
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Europe/Kyiv', 'Europe/Kyiv'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['US/Pacific', 'America/Los_Angeles'],
]

describe('a time zone’s name', () => {
  test.each(taken)('%s is stored as %s', (given, stored) => expect(canonicalTimeZone(given)).toBe(stored))

  // https://github.com/meawoppl/agent-portal/issues/1064, https://github.com/Icinga/icinga-notifications-web/issues/50,
  // https://github.com/objectstack-ai/objectstack/pull/19183
  test.each([
    ['PST', 'America/Los_Angeles'],
    ['CST', 'America/Chicago'],
    ['EST', 'America/New_York'],
    ['EST5EDT', 'America/New_York'],
    ['cet', 'Europe/Berlin'],
    ['+02:00', 'offset'],
    ['-0800', 'offset'],
    ['UTC+8', 'offset'],
    ['GMT+2', 'offset'],
    ['SystemV/EST5', 'Europe/Berlin or UTC'],
    ['posix/Europe/Berlin', 'Europe/Berlin or UTC'],
    ['Mars/Base', 'Europe/Berlin or UTC'],
    ['Factory', 'Europe/Berlin or UTC'],
    ['__proto__', 'Europe/Berlin or UTC'],
    ['constructor', 'Europe/Berlin or UTC'],
    ['Europe', 'Europe/Berlin or UTC'],
    ['', 'Europe/Berlin or UTC'],
  ])('“%s” is rejected with a hint', (given, hint) => {
    expect(canonicalTimeZone(given)).toBeNull()
    expect(timeZoneHint(given)).toContain(hint)
  })

  test('is one that this runtime can calculate with, and stays unchanged', () => {
    for (const name of timeZones) {
      expect(canonicalTimeZone(name)).toBe(name)
      expect(() => new Intl.DateTimeFormat('en', { timeZone: name })).not.toThrow()
    }
    expect(new Set(timeZones).size).toBe(timeZones.length)
  })

  test('is found for any browser’s own zone', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect([name, canonicalTimeZone(name)]).not.toContain(null)
  })
})

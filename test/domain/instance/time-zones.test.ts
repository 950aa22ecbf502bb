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

describe('the name of a time zone', () => {
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
  ])('“%s” is none, and a hint says what to send', (given, hint) => {
    expect(canonicalTimeZone(given)).toBeNull()
    expect(timeZoneHint(given)).toContain(hint)
  })

  test('names a zone that this runtime can reckon with, and stays as it is', () => {
    for (const name of timeZones) {
      expect(canonicalTimeZone(name)).toBe(name)
      expect(() => new Intl.DateTimeFormat('en', { timeZone: name })).not.toThrow()
    }
    expect(new Set(timeZones).size).toBe(timeZones.length)
  })

  test('is found for whatever a browser calls its own', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect([name, canonicalTimeZone(name)]).not.toContain(null)
  })
})

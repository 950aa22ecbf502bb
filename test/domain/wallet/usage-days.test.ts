import { readDayRange } from '../../../domain/wallet/usage.ts'

const now = Date.parse('2026-11-22T12:00:00.000Z')

describe('a range of days', () => {
  test('is the last thirty by default', () => {
    expect(readDayRange({}, now)).toEqual({ fromMs: Date.parse('2026-10-24'), toMs: Date.parse('2026-11-23') })
  })

  test.each([
    [{ to: '1396-03-04' }, 'to'],
    [{ to: '0000-01-10' }, 'to'],
    [{ from: '1969-12-31', to: '1970-01-02' }, 'from'],
  ])('before 1970 is rejected with the field’s name: %j', (asked, field) => {
    expect(() => readDayRange(asked, now)).toThrow(
      expect.objectContaining({ code: 'validation', details: { [field]: [expect.any(String)] } }),
    )
  })

  test('begins in 1970 at the earliest', () => {
    expect(readDayRange({ to: '1970-01-03' }, now)).toEqual({ fromMs: 0, toMs: Date.parse('1970-01-04') })
  })
})

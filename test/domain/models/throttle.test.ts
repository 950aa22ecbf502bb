import { Throttle } from '../../../domain/models/throttle.ts'

describe('a throttle', () => {
  test('is due once per interval, separately for each user', () => {
    const throttle = new Throttle(1_000)
    expect([0, 1, 999, 1_000, 1_001].map((now) => throttle.due('usr_1', now))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ])
    expect(throttle.due('usr_2', 1_001)).toBe(true)
  })

  test('remembers a limited number of users, and is never late', () => {
    const throttle = new Throttle(1_000)
    for (let i = 0; i < 25_000; i++) expect(throttle.due(`usr_${i}`, i)).toBe(true)
    expect(throttle.due('usr_24999', 25_000)).toBe(false)
    expect(throttle.due('usr_24999', 26_000)).toBe(true)
  })
})

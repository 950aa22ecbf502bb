import { Seldom } from '../../../domain/models/seldom.ts'

describe('Seldom', () => {
  test('is due once in the time, for each user apart', () => {
    const seldom = new Seldom(1_000)
    expect([0, 1, 999, 1_000, 1_001].map((now) => seldom.due('usr_1', now))).toEqual([true, false, false, true, false])
    expect(seldom.due('usr_2', 1_001)).toBe(true)
  })

  test('remembers a bounded number of users, and never fails to be due in time', () => {
    const seldom = new Seldom(1_000)
    for (let i = 0; i < 25_000; i++) expect(seldom.due(`usr_${i}`, i)).toBe(true)
    expect(seldom.due('usr_24999', 25_000)).toBe(false)
    expect(seldom.due('usr_24999', 26_000)).toBe(true)
  })
})

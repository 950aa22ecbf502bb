import {
  enterRollout,
  leaveRollout,
  newRollout,
  type Rollout,
  resumeRollout,
} from '../../../domain/instance/rollout.ts'

/** The rollout after these users tried it in this order, each as often as it allows. */
function tried(outcomes: [userId: string, healthy: boolean][], from = newRollout('2')): Rollout {
  return outcomes.reduce((rollout, [userId, healthy]) => {
    const entered = enterRollout(rollout, userId, 0)
    return entered ? leaveRollout(entered, userId, healthy) : rollout
  }, from)
}
const users = (count: number, healthy: boolean, name = 'u') =>
  Array.from({ length: count }, (_, i): [string, boolean] => [`${name}${i}`, healthy])

describe('a rollout', () => {
  test('counts a user’s failures once, and does not give that user the image again', () => {
    const rollout = tried(Array(100).fill(['killer', false]))
    expect(rollout).toMatchObject({ state: 'rolling', failed: { killer: 1 } })
    expect(enterRollout(rollout, 'killer', 0)).toBeNull()
    expect(enterRollout(rollout, 'somebody', 0)).not.toBeNull()
  })

  test('halts at the fifth user with a failure among the latest fifty, and then reaches nobody', () => {
    expect(tried(users(4, false)).state).toBe('rolling')
    const halted = tried(users(5, false))
    expect(halted.state).toBe('halted')
    expect(enterRollout(halted, 'somebody', 0)).toBeNull()
  })

  test('continues when failures are rare', () => {
    const often = (healthyBetween: number) =>
      tried(Array.from({ length: 20 }, (_, i) => [...users(1, false, `f${i}-`), ...users(healthyBetween, true)]).flat())
    expect(often(12).state).toBe('rolling')
    expect(often(11).state).toBe('halted')
  })

  test('halts for failures that begin after thousands of users as soon as for early ones', () => {
    expect(tried([...users(3000, true), ...users(5, false, 'f')]).state).toBe('halted')
  })

  test('reaches everybody once it is resumed, including users with a failure', () => {
    const resumed = resumeRollout(tried([...users(7, true), ...users(5, false, 'f')]))
    expect(resumed).toMatchObject({ state: 'rolling', healthy: 7, failed: {} })
    expect(enterRollout(resumed, 'f1', 0)).not.toBeNull()
  })

  test('ignores results of users who are not trying it', () => {
    const rollout = newRollout('2')
    expect(leaveRollout(rollout, 'nobody', false)).toBe(rollout)
  })
})

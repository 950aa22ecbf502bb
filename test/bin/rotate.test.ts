import type { Rule } from '@aws-sdk/client-wafv2'
import { withEdgeKeys } from '../../adapters/aws/edge-key-places.ts'
import { rotateEdgeKey, rotateMachineTokenKeys } from '../../bin/admin/rotate.ts'
import { hourMs, iso } from '../../domain/time.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { deployments } from '../lib/synthesis.ts'

const now = Date.UTC(2026, 10, 1)
const [older, newer] = ['a'.repeat(64), 'b'.repeat(64)]

/** A store of a stage's secrets with the history of each. */
function place(secrets: Record<string, unknown>) {
  const written: unknown[] = []
  return {
    written,
    now: (name: string) => secrets[name],
    secrets: {
      origin: undefined,
      read: async (name: string) => secrets[name],
      write: async (name: string, value: object) => {
        secrets[name] = value
        written.push(value)
      },
    },
  }
}

describe('rotating the keys of machine tokens', () => {
  it('keeps the previous key next to the new one, and makes no third key while the previous one is in use', async () => {
    const { secrets, now: value } = place({ 'machine-token-keys': { current: older } })
    await rotateMachineTokenKeys(secrets, false, now)
    expect(value('machine-token-keys')).toEqual({
      current: expect.stringMatching(/^[0-9a-f]{64}$/),
      previous: older,
      rotatedAt: iso(now),
    })
    await expect(rotateMachineTokenKeys(secrets, false, now + hourMs)).rejects.toThrow('in use until')
    await rotateMachineTokenKeys(secrets, false, now + 2 * hourMs)
    expect(value('machine-token-keys')).not.toMatchObject({ previous: older })
  })

  it('drops a leaked key at any time', async () => {
    const keys = { current: newer, previous: older, rotatedAt: iso(now) }
    const { secrets, now: value } = place({ 'machine-token-keys': keys })
    await rotateMachineTokenKeys(secrets, true, now + 1)
    expect(Object.keys(value('machine-token-keys') as object)).toEqual(['current'])
  })
})

describe('rotating CloudFront’s key', () => {
  /** The front of the API, which fails at its n-th step. */
  function before(breaksAt = Number.POSITIVE_INFINITY) {
    const state = { accepted: [older] as readonly string[], sent: older, steps: 0 }
    const step = () => {
      state.steps++
      if (state.steps === breaksAt) throw new Error('broken')
    }
    const places = {
      accept: async (keys: readonly string[]) => {
        step()
        state.accepted = keys
      },
      send: async (key: string) => {
        step()
        state.sent = key
      },
    }
    return { state, places }
  }

  it.each([1, 2, 3, 9])(
    'never sends a key that is not accepted when a step fails (step %i), and finishes with the same key on the next run',
    async (breaksAt) => {
      const { secrets, now: value, written } = place({ 'edge-key': { key: older } })
      const { state, places } = before(breaksAt)
      const isTaken = () => {
        const { key, previous } = value('edge-key') as { key: string; previous?: string }
        return [key, previous].includes(state.sent) && state.accepted.includes(state.sent)
      }
      const run = () => rotateEdgeKey(secrets, places, () => expect(isTaken()).toBe(true))
      await run().catch((error: Error) => expect(error.message).toBe('broken'))
      expect(isTaken()).toBe(true)
      if (breaksAt < 9) await run()
      expect(isTaken()).toBe(true)
      expect(written).toHaveLength(2)
      expect(value('edge-key')).toEqual({ key: state.sent })
      expect(state.sent).not.toBe(older)
      expect(state.accepted).toEqual([state.sent])
    },
  )

  it('is a single write for a stage without CloudFront and a firewall', async () => {
    const { secrets, now: value } = place({ 'edge-key': { key: older } })
    await rotateEdgeKey(secrets, null, () => {})
    expect(value('edge-key')).toEqual({ key: expect.not.stringMatching(older) })
  })
})

describe('the firewall’s rules', () => {
  it('accept two keys in each place where the template compares with one, and are otherwise unchanged', async () => {
    const { production } = await deployments()
    const Rules = production.ofType('AWS::WAFv2::WebACL')[0]?.[1].Properties.Rules as Rule[] // safe because CloudFormation and the API name what is in a rule alike
    const single = withEdgeKeys(Rules, edgeHeaders.key, [older])
    const both = withEdgeKeys(single, edgeHeaders.key, [older, newer])
    const keysIn = (rules: Rule[]) =>
      [
        ...JSON.stringify(rules, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString() : value,
        ).matchAll(/[ab]{64}/g),
      ].map(String)
    expect(keysIn(single)).toEqual([older, older, older, older])
    expect(keysIn(both)).toEqual([1, 2, 3, 4].flatMap(() => [older, newer]))
    expect(withEdgeKeys(both, edgeHeaders.key, [older])).toEqual(single)
    const withoutKeys = (rules: Rule[]) =>
      JSON.stringify(rules, (name, value) => (name === 'SearchString' && typeof value !== 'string' ? 'key' : value))
    const template = JSON.stringify(Rules).replace(/"SearchString":\{"Fn::Join":.*?\]\]\}/g, '"SearchString":"key"')
    expect(withoutKeys(single)).toBe(template)
  })
})

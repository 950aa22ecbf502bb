import type { Env } from '../../adapters/env.ts'
import type { Ports } from '../../adapters/ports.ts'
import { registry } from '../../adapters/registry.ts'
import type { proxyModelCall } from '../../lambdas/llm/proxy-model-call.ts'

/** Ports of a model call that are not stores: both pipelines have the live ones. */
type Live = 'models' | 'machineTokens'
type StoredPort = Exclude<keyof (typeof proxyModelCall)['uses'], Live>
type Store = Pick<Ports, StoredPort>

const noStops = { fields: new Set<string>(), stops: {} }

const stubs = {
  wallets: {
    hold: async (_user, _call, { boundMicros }) => ({ held: true, micros: boundMicros, total: 0, counts: {} }),
    settle: async () => null,
  },
  denials: { current: async () => noStops },
  events: { record: async () => {} },
  instances: { touch: async () => null },
  conversations: {},
} satisfies { [Port in StoredPort]: Partial<Ports[Port]> }

/**
 * A store that agrees to everything. It has each port that a model call uses, and the methods that a plain call needs.
 */
export const stubbedStore = stubs as unknown as Store // safe because test/bench/proxy.test.ts makes plain calls over it

/** The same ports over the real store. */
export async function connectStore(env: Env): Promise<Store> {
  const names = Object.keys(stubs) as StoredPort[] // safe because the stubs have each of these ports and no other
  const connect = async (name: StoredPort) => {
    const adapters = await import(`../../adapters/${registry[name].module}`)
    return [name, adapters[name](env)]
  }
  return Object.fromEntries(await Promise.all(names.map(connect)))
}

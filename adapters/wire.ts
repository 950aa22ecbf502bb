import type { Access, Basics, PortName, Ports } from '../domain/ports.ts'
import { basics } from './basics.ts'
import { type Env, readEnv } from './env.ts'

/** Makes a port out of the function's environment. Clients are made on first use, so this is cheap. */
export type Adapter<P extends PortName> = (env: Env) => Ports[P]

type Adapters<A extends Access> = { [P in keyof A & PortName]: Adapter<P> }

/**
 * The live ports of an area. The adapters are named in the area's handler, so a bundle carries only the SDKs its
 * access list needs, and a port without an adapter (or the reverse) does not compile.
 */
export function wire<const A extends Access>(
  _access: A,
  adapters: Adapters<A>,
): Pick<Ports, keyof A & PortName> & Basics {
  const env = readEnv()
  const entries = Object.entries<(env: Env) => unknown>(adapters)
  const ports = Object.fromEntries(entries.map(([name, adapter]) => [name, adapter(env)]))
  // safe because Adapters<A> has exactly the ports of A, each made by its own adapter
  return { ...(ports as Pick<Ports, keyof A & PortName>), ...basics(env) }
}

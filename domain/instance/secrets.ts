import * as z from 'zod'
import { invalid } from '../errors.ts'
import { timestamp } from '../timestamp.ts'

export const maxSecrets = 32
const maxSecretHosts = 16

/** A shorter value could not be distinguished from other text in an answer; characters. */
const leastSecretLength = 8
const maxSecretLength = 4_096

/** Headers of the connection and its framing. */
const unusable = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect', 'content-length', 'content-type', 'content-encoding'],
  ...['accept-encoding', 'range', 'if-range', 'cookie', 'set-cookie'],
])

/** At least two labels, the last with a letter, so that no notation of an IP address matches. */
const hostName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

const host = z
  .string()
  .toLowerCase()
  .regex(hostName, 'Name a host such as api.github.com: no address, no port, no wildcard.')
  .meta({ example: 'api.github.com' })

const use = z.object({
  hosts: z.array(host).min(1).max(maxSecretHosts).meta({ description: 'The only hosts that may receive it.' }),
  header: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'Name a header.')
    .refine((name) => !unusable.has(name), 'This header cannot carry a secret.')
    .meta({ example: 'authorization' }),
  template: z
    .string()
    .regex(/^[ -~]{2,200}$/, 'Use printable ASCII.')
    .refine((text) => text.split('{}').length === 2, 'Put {} once where the value belongs.')
    .meta({ example: 'Bearer {}' }),
})

/** The value is never given back. */
export const instanceSecret = use
  .extend({ name: z.string().meta({ example: 'github' }), updatedAt: timestamp })
  .meta({ id: 'InstanceSecret' })
export type InstanceSecret = z.infer<typeof instanceSecret>

/** Always written whole, so that nobody sends an unknown value to another host. */
const newSecret = z.strictObject({
  value: z
    .string()
    .min(leastSecretLength)
    .max(maxSecretLength)
    .regex(/^[!-~]([ -~]*[!-~])?$/, 'Use printable ASCII without a space at either end.'),
  hosts: use.shape.hosts,
  header: use.shape.header.default('authorization'),
  template: use.shape.template.default('Bearer {}'),
})

/** Null removes a secret; secrets without a name here stay. */
export const secretChanges = z.record(z.string(), newSecret.nullable())
export type SecretChanges = z.infer<typeof secretChanges>

export const usableSecret = use
  .extend({ name: z.string().meta({ example: 'github' }), value: z.string().meta({ example: 'ghp_example1234' }) })
  .meta({ id: 'UsableSecret' })
export type UsableSecret = z.infer<typeof usableSecret>

/** The value is sealed together with its hosts. */
export const sealedSecret = usableSecret.omit({ name: true })

/** Ordered by name. @throws validation that names the secret */
export function changeSecrets(present: InstanceSecret[], changes: SecretChanges, at: string): InstanceSecret[] {
  const next = new Map(present.map((secret) => [secret.name, secret]))
  for (const [name, change] of Object.entries(changes)) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
      throw invalid(
        'secrets',
        'a name is 1 to 64 small letters, digits, hyphens and underscores; it is part of an address.',
      )
    if (change === null) next.delete(name)
    else {
      const { value: _, ...use } = change
      next.set(name, { name, ...use, updatedAt: at })
    }
  }
  const all = [...next.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  if (all.length > maxSecrets) throw invalid('secrets', `at most ${maxSecrets}; remove some first.`)
  return all
}

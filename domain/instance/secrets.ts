import * as z from 'zod'
import { invalid } from '../errors.ts'
import { timestamp } from '../timestamp.ts'

/** Most secrets of one instance, and hosts of one secret. */
export const maxSecrets = 32
export const maxSecretHosts = 16

/** A shorter value could not be distinguished from other text when an answer repeats it; characters. */
export const leastSecretLength = 8
export const maxSecretLength = 4_096

/** Headers that belong to a connection or to its framing. */
const unusable = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect', 'content-length', 'content-type', 'content-encoding'],
  ...['accept-encoding', 'range', 'if-range', 'cookie', 'set-cookie'],
])

/** A host by its name: at least two labels, the last with a letter, so that no address of any notation is one. */
const hostName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

const host = z
  .string()
  .toLowerCase()
  .regex(hostName, 'Name a host such as api.github.com: no address, no port, no wildcard.')
  .meta({ example: 'api.github.com' })

/** Where a secret may go, and how it is put into a request. */
const use = z.object({
  hosts: z.array(host).min(1).max(maxSecretHosts).meta({ description: 'The only hosts that are sent it.' }),
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

/** One secret as its owner sees it: the value is never given back. */
export const instanceSecret = use
  .extend({ name: z.string().meta({ example: 'github' }), updatedAt: timestamp })
  .meta({ id: 'InstanceSecret' })
export type InstanceSecret = z.infer<typeof instanceSecret>

/** A secret as it is written: always whole, so that nobody sends a value they do not know to another host. */
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

/** Name → secret, or null to remove it; what is not named stays as it is. */
export const secretChanges = z.record(z.string(), newSecret.nullable())
export type SecretChanges = z.infer<typeof secretChanges>

/** A secret as the machine’s supervisor gets it. */
export const usableSecret = use
  .extend({ name: z.string().meta({ example: 'github' }), value: z.string().meta({ example: 'ghp_example1234' }) })
  .meta({ id: 'UsableSecret' })
export type UsableSecret = z.infer<typeof usableSecret>

/** The sealed data of a secret: the value is bound to its hosts. */
export const sealedSecret = usableSecret.omit({ name: true })

/**
 * The list after the changes, in order of names.
 * @throws validation that names the secret
 */
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

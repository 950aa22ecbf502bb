import { randomBytes } from 'node:crypto'
import type { EdgeKeyPlaces } from '../../adapters/aws/edge-key-places.ts'
import { audit } from '../../adapters/dynamo/account/audit.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import { iso } from '../../domain/time.ts'
import { edgeKeys, machineTokenKeys, previousUntilMs, rotatedKeys } from '../../domain/tokens/key-rotation.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { type Command, type Context, reasonOf, UsageError } from './command.ts'
import type { SecretsPlace } from './place.ts'

export const rotate: Command = {
  usage: [
    [
      'rotate machine-token-keys --reason <text>',
      'a new key without an interruption; with --leaked the old key stops working at once, and machines restart',
    ],
    [
      'rotate edge-key --reason <text>',
      'a new key between CloudFront and the API, without an interruption; takes minutes',
    ],
  ],
  async run(context, [name]) {
    const change = rotations.get(name ?? '')
    if (!name || !change) throw new UsageError(`Name one of ${[...rotations.keys()].join(', ')}.`)
    const reason = reasonOf(context)
    console.log(await change(context))
    // The change of a secret is in no table, so its audit line is a separate write.
    const actor = { kind: 'operator' as const, id: context.by }
    const line = { userId: operatorsTrail, operation: 'admin.rotate', record: name, actor, reason }
    await audit(context.env).record(line)
    return 0
  },
}

const rotations = new Map<string, (context: Context) => Promise<string>>([
  ['machine-token-keys', ({ secrets, options }) => rotateMachineTokenKeys(secrets, options.leaked, Date.now())],
  ['edge-key', async ({ secrets, options }) => rotateEdgeKey(secrets, await placesOf(options.stage), console.log)],
])

async function placesOf(stage: string | undefined): Promise<EdgeKeyPlaces | null> {
  if (!stage) return null
  // Load the CloudFront SDK only here.
  const { edgeKeyPlaces } = await import('../../adapters/aws/edge-key-places.ts')
  return edgeKeyPlaces(`berth-${stage}-service`, edgeHeaders.key)
}

/** 256 bits, hex. */
const newKey = (): string => randomBytes(32).toString('hex')

/**
 * One write suffices: functions sign with the previous key until all have read the new one, and accept both for a
 * token's lifetime.
 * @throws while tokens of a key that would be lost are still valid
 */
export async function rotateMachineTokenKeys(secrets: SecretsPlace, leaked: boolean, nowMs: number): Promise<string> {
  const keys = machineTokenKeys.parse(await secrets.read('machine-token-keys'))
  const untilMs = previousUntilMs(keys)
  if (!leaked && keys.previous && keys.rotatedAt && nowMs < untilMs)
    throw new Error(
      `The key was rotated recently, and the previous key is in use until ${iso(untilMs)}. Rotate again after that.`,
    )
  await secrets.write('machine-token-keys', rotatedKeys(keys, newKey(), { at: iso(nowMs), leaked }))
  return leaked
    ? 'Rotated. The old key stops working: within five minutes all machines are refused and restart.'
    : 'Rotated. The new key signs from six minutes on. Tokens of the old key stay valid until they expire, within an hour.'
}

/**
 * Updates the secret first, so that the API knows the key before CloudFront sends it; then the firewall and CloudFront.
 * A run after a failure continues with the same key.
 * @param places null when the API has no firewall and no CloudFront
 */
export async function rotateEdgeKey(
  secrets: SecretsPlace,
  places: EdgeKeyPlaces | null,
  say: (line: string) => void,
): Promise<string> {
  const before = edgeKeys.parse(await secrets.read('edge-key'))
  const { key, previous } = before.previous ? before : { key: newKey(), previous: before.key }
  if (before.previous) say('Continuing a rotation that was not finished.')
  else await secrets.write('edge-key', { key, previous })
  if (places && previous) {
    say('The API accepts both keys. Updating the firewall …')
    await places.accept([key, previous])
    say('Giving CloudFront the new key; this takes minutes …')
    await places.send(key)
    await places.accept([key])
  }
  await secrets.write('edge-key', { key })
  return 'Rotated. Within five minutes, functions accept only the new key.'
}

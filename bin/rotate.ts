import { randomBytes } from 'node:crypto'
import type { EdgeKeyPlaces } from '../adapters/aws/edge-key-places.ts'
import { iso } from '../domain/time.ts'
import { edgeKeys, machineTokenKeys, previousUntilMs, rotatedKeys } from '../domain/tokens/key-rotation.ts'
import type { SecretsPlace } from './place.ts'

/** Secrets that are made here, and that a command gives a new value. */
export const rotated = ['machine-token-keys', 'edge-key'] as const

/** 256 bits, in letters and digits. */
const newKey = (): string => randomBytes(32).toString('hex')

/**
 * One write: functions go on signing with the key before until all of them have read this, and take both for as long as a token lives.
 * @throws while tokens of a key that would be lost still live
 */
export async function rotateMachineTokenKeys(secrets: SecretsPlace, leaked: boolean, nowMs: number): Promise<string> {
  const keys = machineTokenKeys.parse(await secrets.read('machine-token-keys'))
  const untilMs = previousUntilMs(keys)
  if (!leaked && keys.previous && keys.rotatedAt && nowMs < untilMs)
    throw new Error(`It was rotated a while ago: the key before is in use until ${iso(untilMs)}. Rotate it after that.`)
  await secrets.write('machine-token-keys', rotatedKeys(keys, newKey(), { at: iso(nowMs), leaked }))
  return leaked
    ? 'Rotated. The old key is worth nothing: within five minutes every machine is refused, and starts anew.'
    : 'Rotated. The new key signs in six minutes; what the old one signed is good for as long as it lives, an hour.'
}

/**
 * The secret first, so that the API knows the key before anybody sends it; then the firewall, CloudFront, and all back to one. Run
 * again after a failure it goes on with the same key.
 * @param places null where nothing stands before the API
 */
export async function rotateEdgeKey(
  secrets: SecretsPlace,
  places: EdgeKeyPlaces | null,
  say: (line: string) => void,
): Promise<string> {
  const before = edgeKeys.parse(await secrets.read('edge-key'))
  const { key, previous } = before.previous ? before : { key: newKey(), previous: before.key }
  if (before.previous) say('It goes on with a rotation that did not end.')
  else await secrets.write('edge-key', { key, previous })
  if (places && previous) {
    say('The API takes both keys. The firewall does next …')
    await places.accept([key, previous])
    say('CloudFront is given the new one, which takes minutes …')
    await places.send(key)
    await places.accept([key])
  }
  await secrets.write('edge-key', { key })
  return 'Rotated: only the new key is taken, by functions within five minutes.'
}

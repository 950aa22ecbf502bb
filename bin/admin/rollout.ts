import { rollouts } from '../../adapters/dynamo/instance/rollouts.ts'
import { resumeRollout } from '../../domain/instance/rollout.ts'
import { type Command, UsageError } from './command.ts'

export const rollout: Command = {
  usage: [
    ['rollout show   <image version>', 'show the progress of a new image, and the users on whose machines it failed'],
    [
      'rollout resume <image version>',
      'continue a halted rollout for all users, including those on whose machines it failed',
    ],
  ],
  async run({ env }, [verb, version]) {
    if (!version || (verb !== 'show' && verb !== 'resume')) throw new UsageError()
    const images = rollouts(env)
    const rollout = await images.find(version)
    if (rollout.revision === 0) throw new UsageError(`No machine has tried the image ${version}.`)
    const now = verb === 'resume' ? resumeRollout(rollout) : rollout
    if (verb === 'resume' && !(await images.save(now, rollout)))
      throw new UsageError('The rollout changed in the meantime. Run this again.')
    const [trying, failed] = [Object.keys(now.trying), Object.keys(now.failed)]
    console.log(`${version} is ${now.state}: ${now.healthy} healthy, ${trying.length} trying, ${failed.length} failed`)
    for (const userId of failed) console.log(`  ${userId}`)
    return 0
  },
}

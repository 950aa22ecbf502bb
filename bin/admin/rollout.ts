import { rollouts } from '../../adapters/dynamo/instance/rollouts.ts'
import { resumeRollout } from '../../domain/instance/rollout.ts'
import { type Command, UsageError } from './command.ts'

export const rollout: Command = {
  usage: [
    ['rollout show   <image version>', 'how a new image does, and whom it failed'],
    ['rollout resume <image version>', 'give a halted one to everybody again, those whom it failed included'],
  ],
  async run({ env }, [verb, version]) {
    if (!version || (verb !== 'show' && verb !== 'resume')) throw new UsageError()
    const images = rollouts(env)
    const found = await images.find(version)
    if (found.revision === 0) throw new UsageError(`Nobody has tried the image ${version}.`)
    const now = verb === 'resume' ? resumeRollout(found) : found
    if (verb === 'resume' && !(await images.save(now, found)))
      throw new UsageError('The rollout moved meanwhile. Run it again.')
    const [trying, failed] = [Object.keys(now.trying), Object.keys(now.failed)]
    console.log(
      `${version} is ${now.state}: ${now.healthy} run it, ${trying.length} are trying it, it failed ${failed.length}`,
    )
    for (const userId of failed) console.log(`  ${userId}`)
    return 0
  },
}

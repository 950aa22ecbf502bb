import { setTimeout as sleep } from 'node:timers/promises'
import { buildState, imageDigest, startBuild } from '../../adapters/aws/deployment/images.ts'
import type { DeployedStack } from '../../adapters/aws/deployment/stacks.ts'
import type { Stage } from '../../lib/stage.ts'
import { Stop, say } from './stop.ts'

/** The outputs that name an image, with the folder of its source and the parameter for its version. */
const images = [
  { output: 'AgentImage', folder: 'agent', parameter: 'AgentVersion' },
  { output: 'GatewayImage', folder: 'gateway', parameter: 'GatewayVersion' },
] as const

const betweenMs = 3_000

/**
 * Builds every image that the repository lacks.
 * @returns the service stack's parameters, `<tag>@<digest>` each
 * @throws Stop
 */
export async function findImages(
  { imageVersion, runtimes, image }: Stage,
  outputs: DeployedStack['outputs'],
): Promise<Record<string, string>> {
  const parameters: Record<string, string> = {}
  for (const { output, folder, parameter } of images) {
    const address = outputs[output]
    if (address === undefined) continue
    const repository = address.slice(address.indexOf('/') + 1, address.lastIndexOf(':'))
    const tag = address.slice(address.lastIndexOf(':') + 1)
    const isYours = folder === 'agent' && imageVersion !== undefined
    let digest = await imageDigest(repository, tag)
    if (digest === null && isYours) throw new Stop(howToPush(address, { runtimes, image }))
    if (digest === null) {
      await build(outputs.ImageBuilds ?? '', { FOLDER: folder, TAG: tag })
      digest = await imageDigest(repository, tag)
    }
    if (digest === null)
      throw new Stop(`The build of ${tag} succeeded, but ${repository} has no such image. Run this again.`)
    say(`  ${folder}: ${tag}@${digest}`)
    parameters[parameter] = `${tag}@${digest}`
  }
  return parameters
}

/** Builds an image and prints each phase. @throws Stop */
async function build(project: string, variables: { FOLDER: string; TAG: string }): Promise<void> {
  say(`\nBuilding the image ${variables.TAG} in CodeBuild; this takes minutes …`)
  const id = await startBuild(project, variables)
  let shown = ''
  for (;;) {
    const { state, phase, log } = await buildState(id)
    if (phase !== shown) say(`  ${phase.toLowerCase().replaceAll('_', ' ')}`)
    shown = phase
    if (state === 'succeeded') return
    if (state === 'failed')
      throw new Stop(
        `The image’s build failed${log.length > 0 ? `:\n${log.map((line) => `  ${line}`).join('\n')}` : '.'}\nThe whole log: aws codebuild batch-get-builds --ids ${id} --query builds[].logs.deepLink\nFix the problem and run this again; it continues with the build.`,
      )
    await sleep(betweenMs)
  }
}

const howToPush = (address: string, { runtimes, image }: Pick<Stage, 'runtimes' | 'image'>): string =>
  `The stage’s file names your own image (imageVersion), but the repository does not have it. Push it:

  aws ecr get-login-password | docker login --username AWS --password-stdin "${address.split('/')[0]}"
  docker buildx build --platform linux/arm64 -f agent/Dockerfile --build-arg FLAVOUR=${image.flavour} --build-arg RUNTIMES="${runtimes.join(' ')}" -t "${address}" --push .

Then run this again. Without imageVersion, this command builds the image.`

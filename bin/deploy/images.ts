import { imageDigest } from '../../adapters/aws/deployment/images.ts'
import type { DeployedStack } from '../../adapters/aws/deployment/stacks.ts'
import type { Stage } from '../../lib/stage.ts'
import { Stop } from './stop.ts'

/**
 * Checks the operator's own image before CloudFormation does, which would roll back the whole stack without it.
 * @param outputs of the stack with state
 * @throws Stop with the commands that push the image
 */
export async function checkOwnImage(
  { imageVersion, runtimes, image }: Stage,
  { AgentImage: address = '' }: DeployedStack['outputs'],
): Promise<void> {
  if (imageVersion === undefined) return
  const repository = address.slice(address.indexOf('/') + 1, address.lastIndexOf(':'))
  if ((await imageDigest(repository, imageVersion)) !== null) return
  throw new Stop(`The stage’s file names your own image (imageVersion), but the repository does not have it. Push it:

  aws ecr get-login-password | docker login --username AWS --password-stdin "${address.split('/')[0]}"
  docker buildx build --platform linux/arm64 -f agent/Dockerfile --build-arg FLAVOUR=${image.flavour} --build-arg RUNTIMES="${runtimes.join(' ')}" -t "${address}" --push .

Then run this again. Without imageVersion, the deployment builds the image.`)
}

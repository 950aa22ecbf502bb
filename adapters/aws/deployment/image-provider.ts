/** The function behind `Custom::BerthImage`: CloudFormation waits until the repository has an image. */
import type { CdkCustomResourceEvent, CdkCustomResourceIsCompleteEvent } from 'aws-lambda'
import * as z from 'zod'
import { buildState, imageDigest, startBuild } from './images.ts'

const properties = z.object({
  repository: z.string(),
  tag: z.string(),
  /** CodeBuild's project. */
  project: z.string(),
  folder: z.string(),
  /** CloudFormation passes every value as text. */
  isYours: z.enum(['true', 'false']),
})

/** Fields that the CDK's provider hands from `onEvent` to `isComplete`. */
interface Started {
  PhysicalResourceId: string
  build?: string
}

/** Starts a build if the repository lacks the image. An image outlives the stack, so a deletion leaves it. */
export async function onEvent(event: CdkCustomResourceEvent): Promise<Started> {
  if (event.RequestType === 'Delete') return { PhysicalResourceId: event.PhysicalResourceId }
  const { repository, tag, project, folder, isYours } = properties.parse(event.ResourceProperties)
  const started = { PhysicalResourceId: folder }
  if ((await imageDigest(repository, tag)) !== null) return started
  if (isYours === 'true')
    throw new Error(
      `The repository has no image ${tag}, which imageVersion in the stage’s file names. Push it (docs/images.md#publishing-your-own-image), then deploy again.`,
    )
  // Lambda may run this function twice for one request.
  return { ...started, build: await startBuild(project, { FOLDER: folder, TAG: tag }, event.RequestId) }
}

/** @throws with the end of the build's log, which CloudFormation shows */
export async function isComplete(
  event: CdkCustomResourceIsCompleteEvent & Partial<Started>,
): Promise<{ IsComplete: boolean; Data?: Record<string, string> }> {
  if (event.RequestType === 'Delete') return { IsComplete: true }
  const { repository, tag } = properties.parse(event.ResourceProperties)
  const digest = await imageDigest(repository, tag)
  // A build that another deployment started may have pushed the tag first, and this one fails for it.
  if (digest !== null) return { IsComplete: true, Data: { Digest: digest, Version: `${tag}@${digest}` } }
  const { state, log } = event.build === undefined ? { state: 'succeeded', log: [] } : await buildState(event.build)
  if (state === 'running') return { IsComplete: false }
  if (state === 'failed')
    throw new Error(
      `The build of ${tag} failed. Its log: aws codebuild batch-get-builds --ids ${event.build} --query builds[].logs.deepLink\n${log.join('\n').slice(-maxLogCharacters)}`,
    )
  // The image may have come between the two answers.
  if ((await imageDigest(repository, tag)) !== null) return { IsComplete: false }
  throw new Error(`The build of ${tag} succeeded, but the repository has no such image.`)
}

/** CloudFormation refuses a response above 4 KB. */
const maxLogCharacters = 1_500

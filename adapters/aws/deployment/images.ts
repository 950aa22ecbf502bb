/** Images in a stage's repository, and their builds. The SDK finds credentials and Region. */
import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { BatchGetBuildsCommand, type Build, CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild'
import { DescribeImagesCommand, ECRClient, ImageNotFoundException } from '@aws-sdk/client-ecr'

/** `sha256:…`; null if the repository has no such tag. */
export async function imageDigest(repositoryName: string, tag: string): Promise<string | null> {
  try {
    const { imageDetails = [] } = await new ECRClient().send(
      new DescribeImagesCommand({ repositoryName, imageIds: [{ imageTag: tag }] }),
    )
    return imageDetails[0]?.imageDigest ?? null
  } catch (error) {
    if (error instanceof ImageNotFoundException) return null
    throw error
  }
}

/** `log` has the last lines of a failed build. */
interface BuildState {
  state: 'running' | 'succeeded' | 'failed'
  /** `PROVISIONING`, `BUILD`, … */
  phase: string
  log: string[]
}

/** @param idempotencyToken for five minutes, a second call with it starts nothing */
export async function startBuild(
  projectName: string,
  variables: Record<string, string>,
  idempotencyToken: string,
): Promise<string> {
  const environmentVariablesOverride = Object.entries(variables).map(([name, value]) => ({ name, value }))
  const { build } = await new CodeBuildClient().send(
    new StartBuildCommand({ projectName, environmentVariablesOverride, idempotencyToken }),
  )
  if (!build?.id) throw new Error(`CodeBuild started a build of ${projectName} without an id`)
  return build.id
}

export async function buildState(id: string): Promise<BuildState> {
  const { builds = [] } = await new CodeBuildClient().send(new BatchGetBuildsCommand({ ids: [id] }))
  const { buildStatus = 'FAILED', currentPhase: phase = '', logs } = builds[0] ?? {}
  if (buildStatus === 'IN_PROGRESS') return { state: 'running', phase, log: [] }
  if (buildStatus === 'SUCCEEDED') return { state: 'succeeded', phase, log: [] }
  return { state: 'failed', phase, log: await lastLines(logs) }
}

/** Empty if the build never started. */
async function lastLines(logs: Build['logs']): Promise<string[]> {
  if (!logs?.groupName || !logs.streamName) return []
  const { events = [] } = await new CloudWatchLogsClient()
    .send(new GetLogEventsCommand({ logGroupName: logs.groupName, logStreamName: logs.streamName, limit: 30 }))
    .catch(() => ({ events: [] }))
  return events.map(({ message = '' }) => message.trimEnd())
}

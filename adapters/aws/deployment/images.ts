/** The images in a stage's repository, and the builds that make them. The SDK finds credentials and Region. */
import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { BatchGetBuildsCommand, type Build, CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild'
import { DescribeImagesCommand, ECRClient, ImageNotFoundException } from '@aws-sdk/client-ecr'

/** The digest of the image under a tag, `sha256:…`; null when the repository has none. */
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

/** How far a build is. `log` has its last lines once it has failed. */
export interface BuildState {
  state: 'running' | 'succeeded' | 'failed'
  /** `PROVISIONING`, `BUILD`, … */
  phase: string
  log: string[]
}

/** Starts a build with these variables. @returns its id */
export async function startBuild(projectName: string, variables: Record<string, string>): Promise<string> {
  const environmentVariablesOverride = Object.entries(variables).map(([name, value]) => ({ name, value }))
  const { build } = await new CodeBuildClient().send(
    new StartBuildCommand({ projectName, environmentVariablesOverride }),
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

/** The build's last output; empty if it never started. */
async function lastLines(logs: Build['logs']): Promise<string[]> {
  if (!logs?.groupName || !logs.streamName) return []
  const { events = [] } = await new CloudWatchLogsClient()
    .send(new GetLogEventsCommand({ logGroupName: logs.groupName, logStreamName: logs.streamName, limit: 30 }))
    .catch(() => ({ events: [] }))
  return events.map(({ message = '' }) => message.trimEnd())
}

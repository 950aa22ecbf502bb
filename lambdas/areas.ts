import { accountArea } from './account/index.ts'
import { accountJobsArea } from './account-jobs/index.ts'
import { agentArea } from './agent/index.ts'
import { authArea } from './auth/index.ts'
import { billingArea } from './billing/index.ts'
import { billingJobsArea } from './billing-jobs/index.ts'
import { catalogueArea } from './catalogue/index.ts'
import { channelJobsArea } from './channel-jobs/index.ts'
import { channelsArea } from './channels/index.ts'
import { chatArea } from './chat/index.ts'
import { eventsArea } from './events/index.ts'
import { fileDownloadsArea } from './file-downloads/index.ts'
import { filesArea } from './files/index.ts'
import { hooksArea } from './hooks/index.ts'
import { instanceArea } from './instance/index.ts'
import type { Area } from './kit/area.ts'
import { llmArea } from './llm/index.ts'
import { llmLargeArea } from './llm-large/index.ts'
import { mcpArea } from './mcp/index.ts'
import { mcpStreamArea } from './mcp-stream/index.ts'
import { notificationsArea } from './notifications/index.ts'
import { oauthArea } from './oauth/index.ts'
import { operatorArea } from './operator/index.ts'
import { outboxArea } from './outbox/index.ts'
import { publicArea } from './public/index.ts'
import { pushArea } from './push/index.ts'
import { reconcilerArea } from './reconciler/index.ts'
import { scheduleRunnerArea } from './schedule-runner/index.ts'
import { socketArea } from './socket/index.ts'
import { stripeWebhookArea } from './stripe-webhook/index.ts'
import { sweeperArea } from './sweeper/index.ts'
import { tokensArea } from './tokens/index.ts'
import { viewArea } from './view/index.ts'
import { walletArea } from './wallet/index.ts'
import { walletJobsArea } from './wallet-jobs/index.ts'
import { webhookQueueArea } from './webhook-queue/index.ts'
import { webhookSenderArea } from './webhook-sender/index.ts'

const userAreas: readonly Area[] = [
  publicArea,
  authArea,
  accountArea,
  notificationsArea,
  tokensArea,
  oauthArea,
  walletArea,
  billingArea,
  stripeWebhookArea,
  instanceArea,
  hooksArea,
  fileDownloadsArea,
  filesArea,
  chatArea,
  channelsArea,
  eventsArea,
  catalogueArea,
  operatorArea,
]

const backgroundAreas: readonly Area[] = [
  llmArea,
  llmLargeArea,
  agentArea,
  socketArea,
  pushArea,
  webhookQueueArea,
  webhookSenderArea,
  reconcilerArea,
  scheduleRunnerArea,
  sweeperArea,
  billingJobsArea,
  walletJobsArea,
  accountJobsArea,
  channelJobsArea,
  outboxArea,
]

/** In the order of MCP's list. */
export const tools = userAreas.flatMap(({ operations }) => operations.filter(({ tool }) => tool))

const viewed = userAreas.flatMap(({ operations }) => operations.filter((operation) => operation.viewed))

/** Each area is one Lambda. */
export const areas: readonly Area[] = [
  ...userAreas,
  viewArea(viewed),
  mcpArea(tools),
  mcpStreamArea,
  ...backgroundAreas,
]

export const operations = areas.flatMap((area) => area.operations)

import { accountArea } from './account/index.ts'
import { agentArea } from './agent/index.ts'
import { authArea } from './auth/index.ts'
import { billingArea } from './billing/index.ts'
import { catalogueArea } from './catalogue/index.ts'
import { chatArea } from './chat/index.ts'
import { collectorArea } from './collector/index.ts'
import { erasureArea } from './erasure/index.ts'
import { eventsArea } from './events/index.ts'
import { filesArea } from './files/index.ts'
import { instanceArea } from './instance/index.ts'
import type { Area } from './kit/operation.ts'
import { ledgerArea } from './ledger/index.ts'
import { llmArea } from './llm/index.ts'
import { mcpArea } from './mcp/index.ts'
import { publicArea } from './public/index.ts'
import { reconcilerArea } from './reconciler/index.ts'
import { tokensArea } from './tokens/index.ts'
import { walletArea } from './wallet/index.ts'

/** Every area of the service: one Lambda each. */
export const areas: readonly Area[] = [
  publicArea,
  authArea,
  accountArea,
  tokensArea,
  walletArea,
  billingArea,
  collectorArea,
  instanceArea,
  filesArea,
  chatArea,
  eventsArea,
  catalogueArea,
  mcpArea,
  llmArea,
  agentArea,
  ledgerArea,
  reconcilerArea,
  erasureArea,
]

export const operations = areas.flatMap((area) => area.operations)

import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { machines } from '../../adapters/aws/machines.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { reconcilerArea } from './index.ts'

export const handler = serve(reconcilerArea, wire(access, { events, instances, machines, machineTokens, wallets }))

import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { machines } from '../../adapters/aws/machines.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { wire } from '../../adapters/wire.ts'
import { react } from '../kit/react.ts'
import { access } from './access.ts'
import { reconcilerArea } from './index.ts'

export const handler = react(reconcilerArea, wire(access, { events, instances, machines, machineTokens, wallets }))

import { bus } from '../../adapters/aws/bus.ts'
import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { machines } from '../../adapters/aws/machines.ts'
import { remains } from '../../adapters/aws/remains.ts'
import { conversations } from '../../adapters/dynamo/conversations.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { rollouts } from '../../adapters/dynamo/rollouts.ts'
import { schedules } from '../../adapters/dynamo/schedules.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { wire } from '../../adapters/wire.ts'
import { react } from '../kit/react.ts'
import { access } from './access.ts'
import { reconcilerArea } from './index.ts'

const stores = { conversations, events, instances, restorePoints, rollouts, schedules, tasks, wallets }

export const handler = react(reconcilerArea, wire(access, { bus, machines, machineTokens, remains, ...stores }))

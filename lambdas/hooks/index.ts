import { area } from '../kit/area.ts'
import { webhookOperations } from '../webhooks/index.ts'
import { createHook } from './create-hook.ts'
import { deleteHook } from './delete-hook.ts'
import { listHooks } from './list-hooks.ts'
import { receiveDelivery } from './receive-delivery.ts'
import { rerollHook } from './reroll-hook.ts'

export const hooksArea = area({
  name: 'hooks',
  about: 'Hooks let other programs prompt your agent. Webhook endpoints send events of your account to your programs.',
  operations: [listHooks, createHook, deleteHook, rerollHook, receiveDelivery, ...webhookOperations],
  folders: { webhooks: webhookOperations },
})

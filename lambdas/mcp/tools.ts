import { underscored } from '../../domain/mcp/names.ts'
import type { Tool } from '../../domain/tool.ts'
import { activatePersona } from '../catalogue/activate-persona.ts'
import { deactivatePersona } from '../catalogue/deactivate-persona.ts'
import { getSkill } from '../catalogue/get-skill.ts'
import { listPersonas } from '../catalogue/list-personas.ts'
import { listSkills } from '../catalogue/list-skills.ts'
import { getInstanceStatus } from '../instance/get-instance-status.ts'
import { pauseInstance } from '../instance/pause-instance.ts'
import { refreshInstance } from '../instance/refresh-instance.ts'
import { resumeInstance } from '../instance/resume-instance.ts'
import { setInstanceModel } from '../instance/set-instance-model.ts'
import type { AnyOperation } from '../kit/operation.ts'
import { createWalletTopup } from '../wallet/create-wallet-topup.ts'
import { getWallet } from '../wallet/get-wallet.ts'
import { listTransactions } from '../wallet/list-transactions.ts'
import { type Caller, may, run } from './caller.ts'

/** The operations that are tools, in the order they are listed; by file, so that the function carries no others. */
export const toolOperations: readonly AnyOperation[] = [
  getWallet,
  listTransactions,
  createWalletTopup,
  getInstanceStatus,
  pauseInstance,
  resumeInstance,
  refreshInstance,
  setInstanceModel,
  listPersonas,
  activatePersona,
  deactivatePersona,
  listSkills,
  getSkill,
]

/** What clients are told of the tools beside their names. */
export const listedTools = toolOperations.flatMap(({ tool, input, output }) =>
  tool ? [{ ...tool, input, output }] : [],
)

/** The operations whose answers are resources too. */
export const readers = { wallet: getWallet, instance: getInstanceStatus, skill: getSkill }

/** The operation behind a tool's name, in either spelling. */
export const toolNamed = (name: string): AnyOperation | undefined =>
  toolOperations.find((one) => one.tool && underscored(one.tool.name) === underscored(name))

/** The tools this caller's scopes cover; each runs its operation as the REST route would. */
export const toolsFor = (caller: Caller): Tool[] =>
  toolOperations
    .filter((one) => may(caller.actor, one.scope))
    .flatMap((one) =>
      one.tool
        ? [{ ...one.tool, input: one.input, output: one.output, call: (input: unknown) => run(caller, one, input) }]
        : [],
    )

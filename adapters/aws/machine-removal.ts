import { DeregisterTaskDefinitionCommand, type ECSClient, ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs'
import { AccessPointNotFound, DeleteAccessPointCommand, EFSClient } from '@aws-sdk/client-efs'
import { DeleteRoleCommand, DeleteRolePolicyCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { Env } from '../env.ts'
import { accessPointIn, describeLatest, familyOf } from './machine-definition.ts'
import { placesOf } from './machine-volume.ts'

let efs: EFSClient | undefined
let iam: IAMClient | undefined

type Named = Pick<InstanceRecord, 'id'>

/**
 * Takes away what was made for an instance: the way to its volume, its role, and last its definitions, by which a
 * repeated call finds the rest. Without its access point nobody can mount the folder any more.
 */
export async function removeMachine(ecs: ECSClient, env: Env, instance: Named): Promise<void> {
  const family = familyOf(env, instance)
  const latest = await describeLatest(ecs, family)
  const accessPointId = latest && accessPointIn(latest, env)
  if (accessPointId) await removeAccessPoint(accessPointId)
  await removeRole(placesOf(env, instance).roleName)
  const { taskDefinitionArns = [] } = await ecs.send(
    new ListTaskDefinitionsCommand({ familyPrefix: family, status: 'ACTIVE', sort: 'ASC' }),
  )
  for (const taskDefinition of taskDefinitionArns)
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }))
}

async function removeAccessPoint(AccessPointId: string): Promise<void> {
  efs ??= new EFSClient({ maxAttempts: 5 })
  try {
    await efs.send(new DeleteAccessPointCommand({ AccessPointId }))
  } catch (error) {
    if (!(error instanceof AccessPointNotFound)) throw error
  }
}

async function removeRole(RoleName: string): Promise<void> {
  iam ??= new IAMClient({ maxAttempts: 5 })
  const client = iam
  for (const command of [
    () => client.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'volume' })),
    () => client.send(new DeleteRoleCommand({ RoleName })),
  ]) {
    try {
      await command()
    } catch (error) {
      if (!(error instanceof NoSuchEntityException)) throw error
    }
  }
}

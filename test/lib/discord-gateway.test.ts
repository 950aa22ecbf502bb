import { at, deployments, local, type Synthesis } from './synthesis.ts'

let production: Synthesis
beforeAll(async () => {
  ;({ production } = await deployments())
})
const only = (of: Synthesis, type: string) => {
  const [found, ...others] = of.ofType(type)
  if (!found || others.length > 0) throw new Error(`there is not one ${type}`)
  return found[1].Properties
}

describe('the listener at Discord’s gateway', () => {
  test('is one task that is off unless a stage enables it, and on where it costs nothing', async () => {
    expect(only(production, 'AWS::ECS::Service')).toMatchObject({ DesiredCount: 0, LaunchType: 'FARGATE' })
    expect(only(await local(), 'AWS::ECS::Service')).toMatchObject({ DesiredCount: 1 })
  })

  test('starts its replacement before it stops', () => {
    expect(only(production, 'AWS::ECS::Service')).toMatchObject({
      DeploymentConfiguration: {
        MinimumHealthyPercent: 100,
        MaximumPercent: 200,
        DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      },
    })
  })

  test('has no rights of its own, and gets only its own secret', () => {
    const task = only(production, 'AWS::ECS::TaskDefinition')
    const [container, ...others] = at(task, 'ContainerDefinitions') as Record<string, unknown>[] // safe because every task has containers
    expect(others).toEqual([])
    expect(container).toMatchObject({ Command: ['node', 'gateway/main.ts'], ReadonlyRootFilesystem: true })
    expect(JSON.stringify(container?.Secrets)).toContain('Statesecretsdiscord')
    const policies = production.ofType('AWS::IAM::Policy').map(([, { Properties }]) => Properties)
    const role = (name: string) => policies.filter((policy) => JSON.stringify(policy.Roles).includes(name))
    expect(role('DiscordGatewayTaskTaskRole')).toEqual([])
    const granted = JSON.stringify(role('DiscordGatewayTaskExecutionRole'))
    expect(granted.match(/Statesecrets\w+?Parameter/g)?.filter((name) => !name.includes('discord'))).toEqual([])
    expect(granted).toContain('secretsmanager:GetSecretValue')
  })

  test('accepts no connections', () => {
    const groups = production.ofType('AWS::EC2::SecurityGroup').map(([, { Properties }]) => Properties)
    const own = groups.find(({ GroupDescription }) => String(GroupDescription).startsWith('The listener at Discord'))
    expect(own?.SecurityGroupIngress).toBeUndefined()
    expect(own?.SecurityGroupEgress).toMatchObject([{ FromPort: 443, ToPort: 443, IpProtocol: 'tcp' }])
  })
})

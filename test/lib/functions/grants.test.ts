import { personalTables, tableEnv, tables } from '../../../adapters/dynamo/tables.ts'
import { registry, secrets, tablesOf, variables } from '../../../adapters/registry.ts'
import { areas } from '../../../lambdas/areas.ts'
import { portsOf } from '../../../lambdas/kit/access.ts'
import { type Area, accessOf } from '../../../lambdas/kit/area.ts'
import { at, local, policiesOf, type Statement, type Synthesis, statementsOf } from '../synthesis.ts'

let synthesis: Synthesis

beforeAll(async () => {
  synthesis = await local()
})

const functionOf = ({ name }: Area) => {
  const found = synthesis.ofType('AWS::Lambda::Function').find(([, { Properties }]) => {
    return Properties.FunctionName === `berth-local-${name}`
  })
  if (!found) throw new Error(`no function for ${name}`)
  return found[1].Properties
}

const environmentOf = (area: Area) => at(functionOf(area), 'Environment', 'Variables') as Record<string, unknown> // safe because every function has variables

/** The rights of the function's own role. */
function rightsOf(area: Area): Statement[] {
  const role = at(functionOf(area).Role, 'Fn::GetAtt', 0)
  return policiesOf(synthesis)
    .filter(([of]) => of === role)
    .flatMap(([, document]) => statementsOf(document))
}

const each = areas.map((area) => [area.name, area] as const)
const efs = (name: string) => `elasticfilesystem:${name}`
const textOf = (value: unknown) => JSON.stringify(value)
/** The table of a grant, by the parameter that holds its name or its stream. */
const tableIn = (resource: unknown) =>
  Object.keys(tables).filter((name) => new RegExp(`State(tables|streams)${name}Parameter`).test(textOf(resource)))

describe('environment', () => {
  test.each(each)('of %s contains known names only, and every one that its ports read', (_, area) => {
    const read = portsOf(accessOf(area)).flatMap(([port]) => {
      const need = registry[port]
      return [
        ...tablesOf(port).map(tableEnv),
        ...(need.secrets ?? []).map((name) => secrets[name]),
        ...(need.variables ?? []),
      ]
    })
    const common = ['STAGE', 'PUBLIC_ORIGIN', 'CELL', 'IMAGE_VERSION', 'LOG_LEVEL']
    expect(Object.keys(environmentOf(area)).sort()).toEqual([...new Set([...common, ...read])].sort())
  })

  test('contains each variable of the domain in some function', () => {
    const given = new Set(areas.flatMap((area) => Object.keys(environmentOf(area))))
    expect(variables.filter((name) => !given.has(name))).toEqual([])
  })

  test('contains no secret’s value', () => {
    for (const area of areas) expect(textOf(environmentOf(area))).not.toMatch(/resolve:secretsmanager/)
  })
})

describe('rights', () => {
  test.each(each)('of %s are for the tables in its environment', (_, area) => {
    // A function that a stream starts reads that stream without a table's name.
    const touching = rightsOf(area).filter(({ actions }) => !actions.includes('dynamodb:GetRecords'))
    const granted = new Set(touching.flatMap(({ resources }) => resources.flatMap(tableIn)))
    const known = Object.keys(environmentOf(area)).filter((name) => name.endsWith('_TABLE'))
    expect(known).toEqual(expect.arrayContaining([...granted].map((name) => `${name.toUpperCase()}_TABLE`)))
  })

  test('in view put, delete, send and start nothing, open no value and no file, and update only items that count callers', () => {
    const view = areas.filter(({ name }) => name === 'view')
    const rights = view.flatMap(rightsOf)
    const updated = rights
      .filter(({ actions }) => actions.includes('dynamodb:UpdateItem'))
      .flatMap(({ resources }) => resources.flatMap(tableIn))
    expect([...new Set(updated)].sort()).toEqual(['instances', 'rates', 'sessions', 'tokens'])
    expect([...new Set(rights.flatMap(({ actions }) => actions))].sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:ConditionCheckItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'logs:CreateLogStream',
      'logs:GetLogEvents',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ])
  })

  test.each(each)('of %s include exactly the secrets in its environment', (_, area) => {
    const granted = rightsOf(area)
      .filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))
      .flatMap(({ resources }) => resources)
    const known = Object.entries(environmentOf(area)).filter(([name]) => name.endsWith('_SECRET_ARN'))
    expect(granted.map(textOf).sort()).toEqual(known.map(([, value]) => textOf(value)).sort())
  })

  test.each(each)('of %s on an index are for queries only', (_, area) => {
    const onIndexes = rightsOf(area).filter(({ resources }) =>
      resources.some((resource) => textOf(resource).includes('/index/')),
    )
    for (const { actions, resources } of onIndexes) {
      expect(actions).toEqual(['dynamodb:Query'])
      expect(textOf(resources)).not.toMatch(/index\/\*/)
    }
  })

  test('for the eraser find and delete a person’s data in every table, and do nothing else', () => {
    const { tables: asked, indexes = {} } = registry.erasure
    const wanted = personalTables.map((name) => {
      const byKey = tables[name].partition === 'userId'
      return [name, byKey ? ['DeleteItem', 'Query'] : ['DeleteItem'], byKey ? undefined : ['byUser']]
    })
    expect(personalTables.map((name) => [name, asked?.[name], indexes[name]])).toEqual(wanted)
    expect(tablesOf('erasure').sort()).toEqual([...personalTables].sort())
  })

  test.each(each)('of %s as reading ports write nothing but the caller’s own count', (_, area) => {
    const writable = new Set(
      portsOf(accessOf(area)).flatMap(([port, level]) => (level === 'write' ? tablesOf(port) : [])),
    )
    const admitting = ['tokens', 'sessions', 'rates', 'instances']
    for (const { actions, resources } of rightsOf(area)) {
      const read = resources.flatMap(tableIn).filter((name) => !writable.has(name as keyof typeof tables)) // safe because tableIn returns table names
      if (read.length === 0) continue
      expect(actions).not.toContain('dynamodb:PutItem')
      expect(actions).not.toContain('dynamodb:DeleteItem')
      if (actions.includes('dynamodb:UpdateItem')) expect(admitting).toEqual(expect.arrayContaining(read))
    }
  })

  test('include no scan and no wildcard action', () => {
    const all = policiesOf(synthesis).flatMap(([, document]) => statementsOf(document))
    expect(all.length).toBeGreaterThan(20)
    const actions = all.flatMap((statement) => statement.actions)
    expect(actions.filter((action) => action.includes('*') || action === 'dynamodb:Scan')).toEqual([])
  })

  test('on whole services are given only where AWS has no resources', () => {
    const all = policiesOf(synthesis).flatMap(([, document]) => statementsOf(document))
    const wide = all.filter(({ effect, resources }) => effect === 'Allow' && resources.includes('*'))
    expect([...new Set(wide.flatMap(({ actions }) => actions))].sort()).toEqual([
      'dynamodb:ListStreams',
      'ecr:GetAuthorizationToken',
      'ecs:DeregisterTaskDefinition',
      'ecs:DescribeTaskDefinition',
      'ecs:ListTaskDefinitions',
      'ecs:ListTasks',
      'ecs:RegisterTaskDefinition',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ])
  })

  /** The functions that may start and erase machines. */
  const startingMachines = ['reconciler', 'sweeper']

  test('to create roles apply only below the boundary, and to pass them only to tasks and schedules', () => {
    const all = areas.flatMap(rightsOf)
    const making = all.filter(({ actions }) => /iam:(CreateRole|PutRolePolicy)/.test(actions.join()))
    const wanted = ['iam:CreateRole', 'iam:PutRolePolicy'].flatMap((action) => startingMachines.map(() => action))
    expect(making.flatMap(({ actions }) => actions).sort()).toEqual(wanted)
    for (const { conditions, resources } of making) {
      expect(textOf(conditions)).toMatch(/"iam:PermissionsBoundary":\{"Ref":"MachinesBoundary/)
      expect(textOf(resources)).toContain(':role/berth/local/machines/berth-local-*')
    }
    for (const { conditions, resources } of all.filter(({ actions }) => actions.includes('iam:PassRole'))) {
      const to = textOf(resources).includes('Stateschedulesrole')
        ? 'scheduler.amazonaws.com'
        : 'ecs-tasks.amazonaws.com'
      expect(conditions).toEqual({ StringEquals: { 'iam:PassedToService': to } })
    }
  })

  test('to change and delete machines’ resources apply only to resources with the stage’s tag', () => {
    const rights = areas.flatMap(rightsOf)
    const conditionsOf = (action: string) =>
      rights.filter(({ actions }) => actions.includes(action)).map(({ conditions }) => at(conditions, 'StringEquals'))
    for (const action of ['iam:PutRolePolicy', 'iam:DeleteRolePolicy', 'iam:DeleteRole', efs('DeleteAccessPoint')])
      expect(conditionsOf(action)).toEqual(
        startingMachines.map(() => expect.objectContaining({ 'aws:ResourceTag/stage': 'local' })),
      )
    for (const action of [
      'iam:CreateRole',
      'iam:TagRole',
      'ecs:RegisterTaskDefinition',
      efs('CreateAccessPoint'),
      efs('TagResource'),
    ])
      expect(conditionsOf(action)).toEqual(
        startingMachines.map(() => expect.objectContaining({ 'aws:RequestTag/stage': 'local' })),
      )
  })

  test('to seal variables and to open them never belong to the same function', () => {
    const keys = areas.map((area) => [
      area.name,
      rightsOf(area)
        .flatMap(({ actions }) => actions)
        .filter((action) => action.startsWith('kms:')),
    ])
    expect(Object.fromEntries(keys.filter(([, actions]) => actions?.length))).toMatchObject({
      instance: ['kms:GenerateDataKey'],
    })
    for (const [, actions = []] of keys) expect(actions.length).toBeLessThanOrEqual(1)
  })

  test('for a machine are limited to mounting through an access point', () => {
    const policies = synthesis.ofType('AWS::IAM::ManagedPolicy')
    expect(policies).toHaveLength(1)
    const [only, ...others] = statementsOf(policies[0]?.[1].Properties.PolicyDocument)
    expect(others).toEqual([])
    expect(only?.actions).toEqual(['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'])
    expect(textOf(only?.conditions)).toMatch(/AccessPointArn.*access-point\/\*/)
  })
})

test('no function deletes from the wallets, nor from the table of instances but to erase an account', () => {
  const deleting = (table: string) =>
    areas
      .filter((area) =>
        rightsOf(area).some(
          ({ actions, resources }) =>
            actions.some((action) => /:(DeleteItem|BatchWriteItem)$/.test(action)) &&
            resources.flatMap(tableIn).includes(table),
        ),
      )
      .map(({ name }) => name)
  expect(deleting('wallets')).toEqual([])
  expect(deleting('instances')).toEqual(['account-jobs'])
})

test('entries of the audit trail can be added and read, and not changed or removed', () => {
  const rights = areas.flatMap(rightsOf).filter(({ resources }) => resources.flatMap(tableIn).includes('audit'))
  expect(rights.length).toBeGreaterThan(3)
  const actions = new Set(rights.flatMap((right) => right.actions))
  expect([...actions].sort()).toEqual(['dynamodb:PutItem', 'dynamodb:Query'])
})

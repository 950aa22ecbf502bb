import { once } from 'node:events'
import { createServer } from 'node:http'
import { Authorizer, type Denial } from '../../../emulators/aws/authorization.ts'
import { createEventRules } from '../../../local/events/rules.ts'
import { denialLines } from '../../../local/functions/denials.ts'
import type { Functions } from '../../../local/functions/functions.ts'
import { accessKey, directoryOf, invokersOf, rightsOf, usedRights } from '../../../local/functions/principals.ts'
import { createApiHandler, tokenBucket } from '../../../local/gateway/api-handler.ts'
import { readRestApi } from '../../../local/gateway/rest-api.ts'
import { permitted, readSocketApi } from '../../../local/gateway/websocket-api.ts'
import type { JsonObject } from '../../../local/template/json.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { local } from '../../lib/synthesis.ts'
import { lambda, restApi, writeAssembly } from '../assembly.ts'

const getAtt = (name: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [name, attribute] })
const table = { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'things', KeySchema: [] } }
const policy = (Action: string, Resource: JsonObject | string, more: JsonObject = {}): JsonObject => ({
  Type: 'AWS::IAM::Policy',
  Properties: {
    PolicyName: 'p',
    Roles: [{ Ref: 'Role' }],
    PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource, ...more }] },
  },
})
const role = (Properties: JsonObject = {}) => ({
  Type: 'AWS::IAM::Role',
  Properties: { RoleName: 'acts', ...Properties },
})
const permission = (SourceArn: JsonObject | string, Principal = 'events.amazonaws.com'): JsonObject => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { Action: 'lambda:InvokeFunction', FunctionName: getAtt('Fn'), Principal, SourceArn },
})
const template = (resources: JsonObject) =>
  readTemplate(
    writeAssembly({ S: { resources: { Fn: lambda('one', {}, { Role: getAtt('Role') }), ...resources } } }, { one: '' }),
  )

const noFunction: Functions = {
  has: () => true,
  invoke: async () => ({ ok: true, payload: { statusCode: 200, body: 'done' } }),
  invokeStreaming: () => {
    throw new Error('not used')
  },
}
const fnArn = 'arn:aws:lambda:us-east-1:000000000000:function:S-Fn'

describe('a role', () => {
  test('may do what its policies in the template say, within its boundary', () => {
    const most = {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*' }],
        },
      },
    }
    const given = template({
      T: table,
      Role: role({ PermissionsBoundary: { Ref: 'Most' } }),
      Most: most,
      Read: policy('dynamodb:GetItem', getAtt('T')),
      Write: policy('dynamodb:PutItem', getAtt('T')),
    })
    const authorizer = new Authorizer()
    authorizer.setDirectory(directoryOf(given))
    const resource = 'arn:aws:dynamodb:us-east-1:000000000000:table/things'
    const may = (action: string) =>
      authorizer.refusal(accessKey('x/acts'), [{ action: `dynamodb:${action}`, resource }])
    expect(may('GetItem')).toBeUndefined()
    expect(may('PutItem')?.message).toMatch(/no permissions boundary allows/)
    expect(may('Query')?.message).toMatch(/no identity-based policy allows/)
    expect(JSON.parse(usedRights(given, authorizer))).toEqual({
      granted: [
        { role: 'acts', action: 'dynamodb:GetItem', resource },
        { role: 'acts', action: 'dynamodb:PutItem', resource },
      ],
      used: [{ role: 'acts', action: 'dynamodb:GetItem', resource }],
    })
  })

  test('with a policy that cannot be parsed stops the start', () => {
    const unknown = policy('a:B', '*', { Condition: { StringLike: { 'dynamodb:LeadingKeys': 'x' } } })
    expect(() => directoryOf(template({ Role: role(), Odd: unknown }))).toThrow(/Odd asks for dynamodb:LeadingKeys/)
  })

  test('without the right to its log or its stream leaves Lambda without them', () => {
    const stream = 'arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/1'
    const authorizer = new Authorizer()
    const rights = (resources: JsonObject) => {
      const given = template({ Role: role(), ...resources })
      authorizer.setDirectory(directoryOf(given))
      const { mayLog, mayRead } = rightsOf(given, authorizer)
      return [mayLog('arn:aws:iam::000000000000:role/acts', 'g'), mayRead(fnArn, stream)]
    }
    expect(rights({})).toEqual([false, false])
    const group = 'arn:aws:logs:us-east-1:000000000000:log-group:g:*'
    expect(rights({ Log: policy('logs:*', group), Read: policy('dynamodb:*', '*') })).toEqual([true, true])
    expect(rights({ Log: policy('logs:PutLogEvents', group), Read: policy('dynamodb:GetRecords', '*') })).toEqual([
      false,
      false,
    ])
  })
})

describe('a service', () => {
  test('invokes a function for a rule only with the permission for that rule', async () => {
    const rule = {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { source: ['x'] }, Targets: [{ Id: '0', Arn: getAtt('Fn') }] },
    }
    const invoked = async (source: JsonObject | string) => {
      const given = template({ Role: role(), Rule: rule, Other: rule, May: permission(source) })
      let calls = 0
      const functions = { ...noFunction, invoke: async () => ({ ok: true as const, payload: ++calls }) }
      const rules = createEventRules(given, functions, () => {}, [], invokersOf(given))
      rules.emit('default', { source: 'x' })
      await rules.stop()
      return calls
    }
    expect(await invoked(getAtt('Rule'))).toBe(1)
    expect(await invoked('arn:aws:events:us-east-1:000000000000:rule/*')).toBe(2)
    expect(await invoked('arn:aws:events:us-east-1:000000000000:rule/none')).toBe(0)
  })

  test('invokes an alias only with a permission for that alias', () => {
    const alias = {
      Type: 'AWS::Lambda::Alias',
      Properties: { FunctionName: { Ref: 'Fn' }, FunctionVersion: '1', Name: 'live' },
    }
    const may = (FunctionName: JsonObject) => {
      const { Properties } = permission('*')
      const May = { Type: 'AWS::Lambda::Permission', Properties: { ...(Properties as JsonObject), FunctionName } } // safe because permission makes them
      const mayInvoke = invokersOf(template({ Role: role(), Live: alias, May }))
      return [fnArn, `${fnArn}:live`].map((arn) => mayInvoke(arn, 'events.amazonaws.com', 'arn:aws:events:r'))
    }
    expect(may({ Ref: 'Live' })).toEqual([false, true])
    expect(may({ Ref: 'Fn' })).toEqual([true, false])
  })

  test('answers an API’s request with 500 for a function that it may not invoke, and with 429 above the throttle', async () => {
    const answers = async (source: string, throttle: JsonObject = {}) => {
      const api = restApi({ 'GET /things': { fn: 'Fn' } })
      const stage = { ...(api.Stage as JsonObject), Properties: { StageName: 'api', MethodSettings: [throttle] } } // safe because restApi makes one
      const given = template({
        Role: role(),
        ...api,
        Stage: stage,
        May: permission(source, 'apigateway.amazonaws.com'),
      })
      const handler = createApiHandler(readRestApi(given), noFunction, invokersOf(given))
      const server = createServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}/api/things`
      const statuses = []
      for (let i = 0; i < 3; i++) statuses.push((await fetch(url)).status)
      server.closeAllConnections()
      server.close()
      return statuses
    }
    const all = 'arn:aws:execute-api:us-east-1:000000000000:*/api/*/*'
    expect(await answers(all)).toEqual([200, 200, 200])
    expect(await answers('arn:aws:execute-api:us-east-1:000000000000:*/api/POST/*')).toEqual([500, 500, 500])
    const settings = { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 2 }
    expect(await answers(all, settings)).toEqual([200, 200, 429])
    await expect(answers(all, { ...settings, HttpMethod: 'GET' })).rejects.toThrow('throttle of its own')
  })

  test('refills its bucket every second, up to its burst limit', () => {
    const admits = tokenBucket({ rate: 10, burst: 2 })
    expect([0, 0, 0, 100, 100, 10_000, 10_000, 10_000].map(admits)).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
      true,
      false,
    ])
  })

  test('fails a WebSocket route whose function it may not invoke', async () => {
    const given = readTemplate((await local()).folder)
    const api = readSocketApi(given)
    if (!api) throw new Error('the template has no WebSocket API')
    const { routes } = permitted(api, invokersOf(given))
    expect(routes).toEqual(api.routes)
    const refused = permitted(api, (_, __, source) => !source.endsWith('/$connect')).routes
    expect(refused.get('$connect')?.integration).toEqual({ type: 'mock', status: 500 })
    expect(refused.get('$disconnect')).toEqual(api.routes.get('$disconnect'))
  })
})

describe('the log line of a refusal', () => {
  const because = 'because no identity-based policy allows it'
  const said = async (
    area: string,
    action: string,
    resource: (template: ReturnType<typeof readTemplate>) => string,
  ) => {
    const given = readTemplate((await local()).folder)
    const fn = given.ofType('AWS::Lambda::Function').find(({ name }) => name === `berth-local-${area}`)
    const denial: Denial = {
      principal: { name: 'r', arn: String(fn?.properties.Role), policies: [] },
      need: { action, resource: resource(given) },
      why: because,
    }
    return denialLines(given, denial).join('\n')
  }
  const tableArn = (start: string) => (given: ReturnType<typeof readTemplate>) =>
    given.ofType('AWS::DynamoDB::Table').find(({ logicalId }) => logicalId.startsWith(start))?.arn ?? ''

  test('names function, action, resource, and the line to change', async () => {
    const text = await said('wallet', 'dynamodb:PutItem', tableArn('Tablesrollouts'))
    expect(text).toMatch(
      /^Denied: berth-local-wallet may not dynamodb:PutItem on arn:aws:dynamodb:.*, because no identity/,
    )
    expect(text).toContain("In lambdas/wallet whoever does it wants uses: { rollouts: 'write' } (adapters/registry.ts")
    expect(await said('files', 'dynamodb:Query', tableArn('Tablesaudit'))).toContain("uses: { audit: 'read' }")
  })

  test('finds the port of a secret, a bucket or an index, and otherwise says where to look', async () => {
    const secret = (given: ReturnType<typeof readTemplate>) =>
      given.ofType('AWS::SecretsManager::Secret').find(({ name }) => name.endsWith('/telegram'))?.arn ?? ''
    expect(await said('chat', 'secretsmanager:GetSecretValue', secret)).toContain("uses: { telegram: 'read' }")
    const due = (given: ReturnType<typeof readTemplate>) => `${tableArn('Tableswebhooks')(given)}/index/due`
    expect(await said('chat', 'dynamodb:Query', due)).toContain("uses: { webhooks: 'read' }")
    expect(await said('chat', 'a:B', () => '*')).toContain('lib/functions/grants.ts')
  })
})

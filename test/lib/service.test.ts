import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { pagePaths, rootFiles } from '../../domain/dashboard-pages.ts'
import { codes } from '../../domain/errors.ts'
import { listenerSlots } from '../../domain/rates/rate-limits.ts'
import { areas, operations } from '../../lambdas/areas.ts'
import { errorBody, statusOf } from '../../lambdas/kit/errors.ts'
import type { AnyOperation } from '../../lambdas/kit/operation.ts'
import { gatewayResponses } from '../../lib/api/gateway-responses.ts'
import { rewriteToIndex, setViewerHeaders } from '../../lib/edge/cloudfront-functions.ts'
import { aliased, at, deployments, policiesOf, type Synthesis, statementsOf } from './synthesis.ts'

let synthesis: Synthesis

beforeAll(async () => {
  ;({ production: synthesis } = await deployments())
})

const textOf = (value: unknown) => JSON.stringify(value)
const first = (type: string) => synthesis.ofType(type)[0]?.[1].Properties
const areaOf = (id: string) => areas.find(({ operations }) => operations.some((operation) => operation.id === id))
const functionNamed = (area: string) =>
  synthesis
    .ofType('AWS::Lambda::Function')
    .find(([, resource]) => resource.Properties.FunctionName === `berth-production-${area}`)

describe('functions', () => {
  test.each(areas.map((area) => [area.name, area] as const))(
    'such as %s have the settings of their area',
    (_, area) => {
      expect(functionNamed(area.name)?.[1].Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: area.memoryMiB,
        Timeout: area.timeoutSeconds,
      })
    },
  )

  test('outlast the longest wait of the API for them', () => {
    for (const { name, operations, stream, timeoutSeconds } of areas) {
      if (operations.length > 0) expect([name, timeoutSeconds]).toEqual([name, stream ? 900 : expect.any(Number)])
      if (operations.length > 0 && !stream) expect(timeoutSeconds).toBeLessThanOrEqual(29)
    }
  })

  describe('with reserved concurrency', () => {
    const reserveOf = (id: string) => areaOf(id)?.reservedConcurrency ?? 0
    /** An operation whose response lasts for as long as its client reads. */
    const isHeldOpen = ({ auth, http }: AnyOperation) =>
      http.stream !== undefined && http.method === 'GET' && auth === 'user'

    test('have that of their area, and leave AWS’s minimum of 100 executions and as many for two more stages', () => {
      const reserved = areas.map(({ name, reservedConcurrency }) => {
        const { ReservedConcurrentExecutions } = functionNamed(name)?.[1].Properties ?? {}
        expect([name, ReservedConcurrentExecutions]).toEqual([name, reservedConcurrency])
        return reservedConcurrency ?? 0
      })
      expect(reserved.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_000 - 300)
    })

    test('answer only requests that a client can hold open, or none', () => {
      const holding = areas.filter(({ operations }) => operations.some(isHeldOpen))
      expect(holding.map(({ name }) => name).sort()).toEqual(['events', 'file-downloads', 'mcp-stream'])
      for (const { name, operations, reservedConcurrency } of holding) {
        expect([name, operations.filter((operation) => !isHeldOpen(operation))]).toEqual([name, []])
        expect([name, reservedConcurrency]).toEqual([name, expect.any(Number)])
      }
    })

    test('answer tool calls of MCP while as many clients listen as may', () => {
      expect(reserveOf('mcpRpc')).toBeGreaterThanOrEqual(2 * listenerSlots.max)
    })

    test('answer Stripe alone', () => {
      expect(areaOf('stripeWebhook')?.operations.map(({ id }) => id)).toEqual(['stripeWebhook'])
      expect(reserveOf('stripeWebhook')).toBeGreaterThan(0)
    })

    test('run all jobs that events of many users start at once, so that no morning takes executions from the API', () => {
      const rare: Record<string, string> = {
        'billing-jobs': 'a wallet runs low once',
        'account-jobs': 'SES returns few e-mails',
        'channel-jobs': 'an album is rare, and its other jobs follow tables, whose shards are the limit',
      }
      const started = areas.filter(({ jobs }) => jobs.some(({ on }) => 'bus' in on))
      const free = started.filter(({ reservedConcurrency }) => reservedConcurrency === undefined)
      expect(free.map(({ name }) => name).sort()).toEqual(Object.keys(rare).sort())
    })

    test('keep an event for six hours while they are at work', () => {
      const configured = synthesis.ofType('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties)
      expect(configured.length).toBeGreaterThan(0)
      for (const each of configured)
        expect(each).toMatchObject({ MaximumEventAgeInSeconds: 21_600, MaximumRetryAttempts: 2 })
    })
  })

  test('keep their logs for a month', () => {
    const groups = synthesis
      .ofType('AWS::Logs::LogGroup')
      .filter(([id]) => !id.includes('Egress'))
      .map(([, { Properties }]) => Properties.RetentionInDays)
    expect(groups.length).toBeGreaterThan(areas.length)
    expect(new Set(groups)).toEqual(new Set([30]))
  })
})

describe('rules', () => {
  const all = areas.flatMap((area) => area.jobs.map((job) => ({ area, job })))
  const jobs = all.filter(({ job }) => !('table' in job.on))
  const rules = () =>
    synthesis
      .ofType('AWS::Events::Rule')
      .filter(([id]) => id.startsWith('Rules'))
      .map(([, { Properties }]) => Properties)

  test('exist for each event that has a handler', () => {
    expect(jobs.length).toBeGreaterThan(0)
    const wanted = new Set(
      jobs.map(({ area, job }) => `${area.name} ${'everyMinutes' in job.on ? job.id : textOf(job.on)}`),
    )
    expect(rules()).toHaveLength(wanted.size)
  })

  test.each(jobs.map(({ area, job }) => [job.id, area, job] as const))(
    'deliver %s to its function',
    (_, area, { on, id }) => {
      const found = rules().filter((rule) => {
        if ('everyMinutes' in on) {
          const due = String(rule.ScheduleExpression).startsWith(`rate(${on.everyMinutes} minute`)
          return due && at(rule.Targets, 0, 'Input') === textOf({ job: id })
        }
        if ('table' in on) return false
        const { source, 'detail-type': type, detail } = (rule.EventPattern ?? {}) as Record<string, unknown> // safe because a pattern is an object; mail-identity.test.ts checks which stage's e-mails it selects.
        const { clusterArn: _, ...rest } = (detail ?? {}) as Record<string, unknown> // safe because a detail is an object
        const selected = detail && !on.sender ? rest : on.detail
        return textOf([source, type, selected]) === textOf([[on.source], [on.detailType], on.detail])
      })
      const target = at(functionNamed(area.name), 0)
      const ours = found.filter((rule) => aliased(synthesis, at(rule.Targets, 0, 'Arn')) === target)
      expect(ours).toHaveLength(1)
      expect(ours[0]?.EventBusName === undefined).toBe(!('bus' in on) || on.bus === 'aws')
      expect(at(ours[0]?.Targets, 0)).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 8 }, DeadLetterConfig: {} })
    },
  )

  test('of ECS select the tasks of this stage’s cluster, because the account’s stages share the bus', () => {
    const ofTasks = rules().filter((rule) => textOf(at(rule.EventPattern, 'source') ?? []).includes('aws.ecs'))
    const [[cluster = ''] = []] = synthesis.ofType('AWS::ECS::Cluster')
    expect(ofTasks.length).toBeGreaterThan(0)
    for (const { EventPattern } of ofTasks)
      expect(at(EventPattern, 'detail', 'clusterArn')).toEqual([{ 'Fn::GetAtt': [cluster, 'Arn'] }])
  })

  test.each(all.filter((each) => !jobs.includes(each)).map(({ area, job }) => [job.id, area, job.on] as const))(
    'deliver to %s the changes of its table, and nothing else',
    (_, area, on) => {
      if (!('table' in on)) throw new Error('it follows no table')
      const target = at(functionNamed(area.name), 0)
      const found = synthesis
        .ofType('AWS::Lambda::EventSourceMapping')
        .map(([, { Properties }]) => Properties)
        .filter(
          (mapping) =>
            aliased(synthesis, mapping.FunctionName) === target &&
            textOf(mapping.EventSourceArn).includes(`streams${on.table}Parameter`),
        )
      expect(found).toHaveLength(1)
      const filters = (at(found[0]?.FilterCriteria, 'Filters') ?? []) as { Pattern: string }[] // safe because a mapping's filters have patterns
      const [change = ''] = on.changes
      expect(filters.map(({ Pattern }) => JSON.parse(Pattern))).toContainEqual(
        expect.objectContaining({
          eventName: [change],
          dynamodb: expect.objectContaining({ Keys: { [on.key]: { S: on.prefixes.map((prefix) => ({ prefix })) } } }),
        }),
      )
      expect(found[0]).toMatchObject({
        MaximumRetryAttempts: on.lasting ? 10_000 : 3,
        MaximumRecordAgeInSeconds: on.lasting ? 86_400 : 600,
        BisectBatchOnFunctionError: true,
        DestinationConfig: {},
      })
    },
  )

  test('may fill the dead-letter queue by one statement for all rules of the stage', () => {
    const policies = synthesis.ofType('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties.PolicyDocument)
    const allowed = policies.flatMap(statementsOf).filter(({ conditions }) => /Rules|rule\//.test(textOf(conditions)))
    const arn = (name: string) => new RegExp(`^\\["",\\["arn:.*:rule/${name}"\\]\\]$`)
    const patterns = at(allowed[0]?.conditions, 'ArnLike', 'aws:SourceArn') as object[] // safe because a missing list fails below
    expect([allowed.length, allowed[0]?.actions, patterns.length]).toEqual([1, ['sqs:SendMessage'], 2])
    const [ofDefaultBus, ofOurs] = patterns.map((pattern) => textOf(at(pattern, 'Fn::Join')))
    expect(ofDefaultBus).toMatch(arn('berth-production-\\*'))
    expect(ofOurs).toMatch(arn('",{"Ref":"Statebusname\\w+"},"/berth-production-\\*'))
  })

  test('keep permanently failed events for 14 days and raise an alarm, whatever failed', () => {
    const queues = synthesis.ofType('AWS::SQS::Queue')
    expect(queues.map(([, { Properties }]) => Properties.MessageRetentionPeriod)).toEqual([1_209_600, 1_209_600])
    const watched = synthesis
      .ofType('AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.MetricName === 'ApproximateNumberOfMessagesVisible')
      .map(([, { Properties }]) => textOf(Properties.Dimensions))
    const id = queues.find(([each]) => each in synthesis.stacks.service)?.[0]
    const imported = 'Stateschedulesdeadletters'
    const seen = queues.map(([each]) => (each === id ? id : imported))
    for (const name of seen) expect(watched.filter((text) => text.includes(name))).toHaveLength(1)
    const all = (type: string) => synthesis.ofType(type).map(([, { Properties }]) => Properties)
    // A reminder or a measurement that is lost needs no repetition.
    for (const { Targets } of rules())
      for (const target of Targets as object[]) expect(at(target, 'DeadLetterConfig', 'Arn', 'Fn::GetAtt', 0)).toBe(id) // safe because a rule has targets
    const ends = all('AWS::Lambda::EventInvokeConfig')
    expect(ends).toHaveLength(areas.filter((area) => area.jobs.length > 0).length)
    const mappings = all('AWS::Lambda::EventSourceMapping')
    expect(mappings.length).toBeGreaterThan(0)
    for (const { DestinationConfig } of [...ends, ...mappings])
      expect(at(DestinationConfig, 'OnFailure', 'Destination', 'Fn::GetAtt', 0)).toBe(id)
    for (const { RedrivePolicy } of all('AWS::SNS::Subscription'))
      expect(at(RedrivePolicy, 'deadLetterTargetArn', 'Fn::GetAtt', 0)).toBe(id)
    const schedules = queues.find(([each]) => each in synthesis.stacks.state)?.[0]
    const told = all('AWS::Lambda::Function').flatMap((properties) =>
      textOf(at(properties, 'Environment', 'Variables', 'SCHEDULES_DEAD_LETTERS') ?? []),
    )
    expect(told.filter((text) => text.includes(imported)).length).toBeGreaterThan(0)
    const mayFill = policiesOf(synthesis).filter(([, document]) =>
      statementsOf(document).some(
        ({ actions, resources }) =>
          actions.includes('sqs:SendMessage') && textOf(resources).includes(String(schedules)),
      ),
    )
    expect(mayFill.map(([role]) => role)).toEqual([expect.stringContaining('TimersRole')])
  })
})

describe('the distribution for browsers', () => {
  const config = () => at(first('AWS::CloudFront::Distribution'), 'DistributionConfig')
  const behaviors = () => at(config(), 'CacheBehaviors') as Record<string, unknown>[] // safe because a distribution has several
  const api = () => behaviors().find(({ PathPattern }) => PathPattern === '/api/*')

  test('routes /api/* to the API uncached, with every header but Host, and a key', () => {
    expect(api()).toMatchObject({
      PathPattern: '/api/*',
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      Compress: false,
    })
    const origins = at(config(), 'Origins') as { Id: string }[] // safe because a distribution has origins
    const origin = origins.find(({ Id }) => Id === at(api(), 'TargetOriginId'))
    expect(textOf(origin)).toMatch(/x-berth-edge-key.*resolve:secretsmanager/)
  })

  test('gives the address of OAuth’s metadata to callers of /api/mcp only, and serves the metadata at the root', () => {
    const [first, slashed, ...others] = behaviors()
    expect([first?.PathPattern, slashed?.PathPattern]).toEqual(['/api/mcp', '/api/mcp/'])
    expect(slashed).toEqual({ ...first, PathPattern: '/api/mcp/' })
    const policies = synthesis.ofType('AWS::CloudFront::ResponseHeadersPolicy')
    const [id, policy] = policies.find(([, { Properties }]) => textOf(Properties).includes('WWW-Authenticate')) ?? []
    expect(at(first?.ResponseHeadersPolicyId, 'Ref')).toBe(id)
    // A distribution without a domain cannot name itself; clients then use the default place of the metadata.
    expect(textOf(policy)).toContain('"Value":"Bearer"')
    expect(others.map(({ PathPattern, ResponseHeadersPolicyId }) => [PathPattern, ResponseHeadersPolicyId])).toEqual([
      ['/api/*', undefined],
      ['/v1/*', undefined],
      ['/.well-known/oauth-protected-resource*', undefined],
      ['/.well-known/oauth-authorization-server/api*', undefined],
      ['/.well-known/security.txt', undefined],
      ['/openapi.json', undefined],
      ['/register', undefined],
      ['/socket', undefined],
    ])
    const origins = at(config(), 'Origins') as { Id: string; OriginPath?: string }[] // safe because a distribution has origins
    const pathOf = (behavior: unknown) => origins.find(({ Id }) => Id === at(behavior, 'TargetOriginId'))?.OriginPath
    expect(behaviors().map(pathOf)).toEqual([
      undefined,
      undefined,
      undefined,
      '/api',
      '/api',
      '/api',
      '/api',
      '/api',
      '/api',
      undefined,
    ])
  })

  // A page for a status that an API returns replaces the API's own body:
  // https://github.com/aws-samples/sample-collaborative-ai-dlc/issues/186
  test('caches no error, and has a page in the API’s shape only for statuses that the API never returns', () => {
    const errors = at(config(), 'CustomErrorResponses') as Record<string, unknown>[] // safe because the next line counts them
    expect(errors.length).toBeGreaterThan(8)
    const ofApi = [
      ...Object.values(statusOf),
      ...Object.values(gatewayResponses).map(({ statusCode }) => statusCode),
    ].map(Number)
    const paged = errors.filter(({ ResponsePagePath }) => ResponsePagePath !== undefined)
    expect(errors.every(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL === 0)).toBe(true)
    expect(paged.map(({ ErrorCode }) => ErrorCode)).toEqual([414, 504])
    for (const { ErrorCode, ResponseCode, ResponsePagePath } of paged) {
      expect([ResponseCode, ofApi.includes(Number(ErrorCode))]).toEqual([ErrorCode, false])
      const page = readFileSync(join(import.meta.dirname, `../../dashboard/public${ResponsePagePath}`), 'utf8')
      expect(codes).toContain(errorBody.strict().parse(JSON.parse(page)).error)
    }
  })

  test('lets pages load from their own origin, and files of messages from their bucket', () => {
    const policies = synthesis.ofType('AWS::CloudFront::ResponseHeadersPolicy').map(([, { Properties }]) => Properties)
    const pages = policies.find((each) => textOf(each).includes('ContentSecurityPolicy'))
    const security = at(pages, 'ResponseHeadersPolicyConfig', 'SecurityHeadersConfig')
    const [, parts] = at(security, 'ContentSecurityPolicy', 'ContentSecurityPolicy', 'Fn::Join') as [string, unknown[]] // safe because the bucket's host is a reference
    const policy = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('')
    const bucket = /https:\/\/\{"Ref":"Statefilesbucket\w+"\}\.s3\.\{"Ref":"AWS::Region"\}\.\{"Ref":"AWS::URLSuffix"\}/g
    expect(policy.replace(bucket, 'FILES').split('; ')).toEqual([
      "default-src 'self'",
      "connect-src 'self' FILES",
      "img-src 'self' data: blob: FILES",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ])
    expect(at(config(), 'DefaultCacheBehavior', 'ResponseHeadersPolicyId')).toBeDefined()
  })

  const atEdge = (code: string, event: object): unknown => runInNewContext(`${code}; handler(event)`, { event })

  test.each<[string, string]>([
    ['/', '/index.html'],
    ...pagePaths.map((path): [string, string] => [path, '/index.html']),
    ['/wallet/', '/index.html'],
    ['/assets/index-abc.js', '/assets/index-abc.js'],
    ['/favicon.svg', '/favicon.svg'],
    ['/docs', '/docs/index.html'],
    ['/docs/errors/', '/docs/errors.html'],
  ])('serves %s from %s', (uri, file) => {
    expect(at(atEdge(rewriteToIndex, { request: { method: 'GET', uri, headers: {} } }), 'uri')).toBe(file)
  })

  test('knows every file at the root of the dashboard', () => {
    const given = readdirSync(join(import.meta.dirname, '../../dashboard/public'))
    expect([...rootFiles].sort()).toEqual([...given, 'index.html'].sort())
  })

  interface Missing {
    statusCode: number
    headers: Record<string, { value: string }>
    body: string
  }
  const missing = (uri: string, accept?: string, method = 'GET'): Missing =>
    // safe because the callers assert the status
    atEdge(rewriteToIndex, {
      request: { method, uri, headers: accept === undefined ? {} : { accept: { value: accept } } },
    }) as Missing
  const isPage = ({ statusCode, headers, body }: Missing) => {
    expect(statusCode).toBe(404)
    const type = headers['content-type']?.value
    if (type === 'application/json') expect(JSON.parse(body).error).toBe('not-found')
    else expect([type, body.slice(0, 15)]).toEqual(['text/html; charset=utf-8', '<!doctype html>'])
    return type !== 'application/json'
  }
  const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

  test.each([
    '/webhooks/stripe',
    '/nowhere',
    '/v1.2/wallet',
    '/.env',
    '/assets/../x.js',
    '/wp-login.php',
    '/docs/none',
  ])('answers %s with a page for a browser, and with JSON for a program', (uri) => {
    expect(isPage(missing(uri, chrome))).toBe(true)
    expect(isPage(missing(uri, 'TEXT/HTML'))).toBe(true)
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0, */*', 'x-text/html'])
      expect(isPage(missing(uri, accept))).toBe(false)
    expect(isPage(missing(uri, chrome, 'POST'))).toBe(false)
  })

  test.each(['/api', '/api/nowhere', '/v1/', '/register', '/register/x', '/.well-known/oauth-protected-resource'])(
    'answers %s with JSON even for a browser',
    (uri) => {
      expect(isPage(missing(uri, chrome))).toBe(false)
    },
  )

  test('passes the true viewer’s address, whatever the viewer sends', () => {
    const headers = { 'x-berth-viewer': { value: '1.2.3.4' }, 'x-berth-length': { value: '1' } }
    const request = atEdge(setViewerHeaders, { request: { headers }, viewer: { ip: '203.0.113.9' } })
    expect(at(request, 'headers', 'x-berth-viewer', 'value')).toBe('203.0.113.9')
    expect(at(request, 'headers')).not.toHaveProperty('x-berth-length')
  })

  test('passes the length of the body, which API Gateway leaves out', () => {
    const headers = { 'content-length': { value: '15' } }
    const request = atEdge(setViewerHeaders, { request: { headers }, viewer: { ip: '203.0.113.9' } })
    expect(at(request, 'headers', 'x-berth-length', 'value')).toBe('15')
  })
})

describe('the firewall', () => {
  test('logs blocked requests and samples, without credentials', () => {
    const acl = first('AWS::WAFv2::WebACL')
    const rules = at(acl, 'Rules') as object[] // safe because an ACL has rules
    for (const part of [acl, ...rules]) expect(at(part, 'VisibilityConfig', 'SampledRequestsEnabled')).toBe(true)
    const hidden = textOf(at(acl, 'DataProtectionConfig'))
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-berth-edge', 'QUERY_STRING'])
      expect(hidden).toContain(name)
    const logging = first('AWS::WAFv2::LoggingConfiguration')
    expect(textOf(at(logging, 'LogDestinationConfigs'))).toContain('log-group:')
    const groups = synthesis.ofType('AWS::Logs::LogGroup').map(([, { Properties }]) => Properties.LogGroupName)
    expect(groups).toContain('aws-waf-logs-berth-production')
    expect(at(logging, 'LoggingFilter')).toMatchObject({
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
    })
  })

  test('protects the API’s stage and refuses in the error shape', () => {
    const association = first('AWS::WAFv2::WebACLAssociation')
    expect(textOf(association?.ResourceArn)).toContain('/stages/')
    const bodies = at(first('AWS::WAFv2::WebACL'), 'CustomResponseBodies') as Record<string, { Content: string }> // safe because the next line reads one
    expect(errorBody.strict().parse(JSON.parse(bodies.limited?.Content ?? ''))).toMatchObject({ error: 'rate-limited' })
  })

  test('counts each viewer separately, through CloudFront and directly', () => {
    const rules = at(first('AWS::WAFv2::WebACL'), 'Rules') as object[] // safe because an ACL has rules
    const rates = rules.map((rule) => at(rule, 'Statement', 'RateBasedStatement')).filter(Boolean)
    expect(rates.map((rate) => at(rate, 'AggregateKeyType'))).toEqual(['IP', 'CUSTOM_KEYS', 'IP', 'CUSTOM_KEYS'])
    for (const edge of [rates[1], rates[3]]) expect(textOf(at(edge, 'CustomKeys'))).toContain('x-berth-viewer')
    // A chat platform sends everybody's messages from a few addresses.
    expect(rates.map((rate) => at(rate, 'Limit'))).toEqual([3_000, 3_000, 60_000, 60_000])
    const scopes = rates.map((rate) => textOf(at(rate, 'ScopeDownStatement')))
    const pattern = new RegExp(/"RegexString":"([^"]+)"/.exec(scopes[0] ?? '')?.[1] ?? '^')
    const webhooks = operations.filter(({ http }) => http.path.startsWith('/webhooks/'))
    expect(webhooks.length).toBeGreaterThan(3)
    for (const { http } of webhooks) for (const path of [http.path, `/api${http.path}`]) expect(path).toMatch(pattern)
    for (const path of ['/api/instance/files/webhooks/x', '/api/view/webhooks/x', '/apiwebhooks/'])
      expect(path).not.toMatch(pattern)
    // A viewer is never counted under CloudFront's own address.
    const fromEdge = scopes.map((scope) => !/"NotStatement":\{"Statement":\{"ByteMatch/.test(scope))
    expect(fromEdge).toEqual([false, true, false, true])
  })
})

describe('alarms', () => {
  test('reach the e-mail address', () => {
    const alarms = synthesis.ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
    expect(alarms.length).toBeGreaterThan(20)
    for (const { AlarmActions, OKActions } of alarms) {
      expect(AlarmActions).toHaveLength(1)
      expect(OKActions).toEqual(AlarmActions)
    }
    const subscriptions = synthesis.ofType('AWS::SNS::Subscription').map(([, { Properties }]) => Properties)
    expect(subscriptions.map(({ Protocol, Endpoint }) => [Protocol, Endpoint])).toEqual([
      ['email', 'ops@example.com'],
      ['email', 'ops@example.com'],
    ])
  })

  test('may publish, which the topic’s default policy does not allow', () => {
    const statements = at(first('AWS::SNS::TopicPolicy'), 'PolicyDocument', 'Statement')
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    )
  })
})

import { at, deployments, type Synthesis } from './synthesis.ts'

const only = (of: Synthesis, type: string) => of.ofType(type)[0]?.[1].Properties
const recordsOf = ({ outputs }: Synthesis) => JSON.stringify(at(outputs.service, 'MailRecords', 'Value'))

/** The statements about an action, wherever a resource has them. */
function grantsOf(value: unknown, action: string): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  if ('Action' in value && JSON.stringify(value.Action).includes(action)) return [{ ...value }]
  return Object.values(value).flatMap((part) => grantsOf(part, action))
}

describe('the sender of e-mail', () => {
  test('sends no more to addresses that bounced or complained, and encrypts where the mail host can', async () => {
    expect(only((await deployments()).bare, 'AWS::SES::ConfigurationSet')).toMatchObject({
      Name: 'berth-prod',
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
      DeliveryOptions: { TlsPolicy: 'OPTIONAL' },
      ReputationOptions: { ReputationMetricsEnabled: true },
    })
  })

  test('may send to any identity: in its sandbox, SES also checks the recipient’s', async () => {
    const { bare } = await deployments()
    const sending = bare.resources.flatMap(([, { Properties }]) => grantsOf(Properties, 'ses:SendEmail'))
    expect(sending.length).toBeGreaterThan(0)
    for (const { Resource, Condition } of sending) {
      expect(JSON.stringify(Resource)).toMatch(/:identity\/\*"/)
      expect(Condition).toEqual({ StringEquals: { 'ses:FromAddress': 'hello@example.com' } })
    }
  })

  test('reports each permanent bounce and each complaint, on the account’s bus', async () => {
    const { bare } = await deployments()
    expect(only(bare, 'AWS::SES::ConfigurationSetEventDestination')).toMatchObject({
      EventDestination: {
        Enabled: true,
        MatchingEventTypes: ['bounce', 'complaint'],
        EventBridgeDestination: { EventBusArn: expect.anything() },
      },
    })
    const rules = bare
      .ofType('AWS::Events::Rule')
      .map(([, { Properties }]) => Properties.EventPattern)
      .filter((pattern) => JSON.stringify(at(pattern, 'source')) === '["aws.ses"]')
    expect(rules.map((pattern) => at(pattern, 'detail-type')).sort()).toEqual([
      ['Email Bounced'],
      ['Email Complaint Received'],
    ])
    // The account's other stages send with their own configuration sets.
    for (const pattern of rules)
      expect(at(pattern, 'detail', 'mail', 'tags')).toEqual({ 'ses:configuration-set': ['berth-prod'] })
  })

  test('is a single address, or its domain with DKIM and a MAIL FROM, whose records are printed', async () => {
    const { bare, productionWithDomain } = await deployments()
    expect(only(bare, 'AWS::SES::EmailIdentity')).toMatchObject({ EmailIdentity: 'hello@example.com' })
    expect(only(productionWithDomain, 'AWS::SES::EmailIdentity')).toMatchObject({
      EmailIdentity: 'example.com',
      MailFromAttributes: { MailFromDomain: 'mail.example.com' },
      ConfigurationSetAttributes: {},
    })
    expect(productionWithDomain.ofType('AWS::Route53::RecordSet')).toEqual([])
    expect(recordsOf(productionWithDomain).match(/ CNAME /g)).toHaveLength(3)
    expect(recordsOf(productionWithDomain)).toMatch(/mail\.example\.com MX 10 .*spf1.*DMARC1/)
  })

  test('has its records created if Route 53 hosts the domain', async () => {
    const { routed } = await deployments()
    const made = routed.ofType('AWS::Route53::RecordSet').map(([, { Properties }]) => Properties)
    expect(made.map(({ Type }) => Type).sort()).toEqual(['CNAME', 'CNAME', 'CNAME', 'MX', 'TXT'])
    expect(new Set(made.map(({ HostedZoneId }) => HostedZoneId))).toEqual(new Set(['Z123']))
    expect(recordsOf(routed)).not.toContain('CNAME')
  })
})

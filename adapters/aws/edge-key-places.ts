/** Copies of CloudFront's key besides the secret: CloudFront sends it, and the firewall compares it. */
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import {
  CloudFrontClient,
  GetDistributionConfigCommand,
  UpdateDistributionCommand,
  waitUntilDistributionDeployed,
} from '@aws-sdk/client-cloudfront'
import { GetWebACLCommand, type Rule, type Statement, UpdateWebACLCommand, WAFV2Client } from '@aws-sdk/client-wafv2'

export interface EdgeKeyPlaces {
  /** Makes the firewall accept these keys as CloudFront's. */
  accept(keys: readonly string[]): Promise<void>
  /** Makes CloudFront send this key. Resolves when all locations do, after minutes. */
  send(key: string): Promise<void>
}

const longestSeconds = 30 * 60

/** @param header in which CloudFront sends the key @throws when the stack has no firewall or no distribution */
export async function edgeKeyPlaces(stack: string, header: string): Promise<EdgeKeyPlaces> {
  const found = new Map<string, string>()
  for await (const page of paginateListStackResources({ client: new CloudFormationClient() }, { StackName: stack }))
    for (const { ResourceType = '', PhysicalResourceId = '' } of page.StackResourceSummaries ?? [])
      found.set(ResourceType, PhysicalResourceId)
  const [Name = '', aclId = ''] = idOf('AWS::WAFv2::WebACL').split('|')
  const Id = idOf('AWS::CloudFront::Distribution')
  function idOf(type: string): string {
    const id = found.get(type)
    if (!id) throw new Error(`${stack} has no ${type}.`)
    return id
  }
  const acl = { Name, Id: aclId, Scope: 'REGIONAL' } as const
  const firewall = new WAFV2Client()
  // CloudFront's API is in us-east-1.
  const front = new CloudFrontClient({ region: 'us-east-1' })

  return {
    async accept(keys) {
      const { WebACL, LockToken } = await firewall.send(new GetWebACLCommand(acl))
      if (!WebACL) throw new Error(`There is no firewall ${Name}.`)
      // An update without the protection of credentials in logs would end it.
      const { DefaultAction, VisibilityConfig, CustomResponseBodies, DataProtectionConfig, Description } = WebACL
      const kept = { DefaultAction, VisibilityConfig, CustomResponseBodies, DataProtectionConfig }
      const same = { ...kept, ...(Description && { Description }) }
      const Rules = withEdgeKeys(WebACL.Rules ?? [], header, keys)
      await firewall.send(new UpdateWebACLCommand({ ...acl, ...same, LockToken, Rules }))
    },

    async send(key) {
      const { DistributionConfig, ETag } = await front.send(new GetDistributionConfigCommand({ Id }))
      for (const { CustomHeaders } of DistributionConfig?.Origins?.Items ?? [])
        for (const each of CustomHeaders?.Items ?? [])
          if (each.HeaderName?.toLowerCase() === header) each.HeaderValue = key
      await front.send(new UpdateDistributionCommand({ Id, DistributionConfig, IfMatch: ETag }))
      await waitUntilDistributionDeployed({ client: front, maxWaitTime: longestSeconds }, { Id })
    },
  }
}

/** The rules, with these keys in each comparison of the header. */
export const withEdgeKeys = (rules: readonly Rule[], header: string, keys: readonly string[]): Rule[] =>
  rules.map((rule) => ({ ...rule, ...(rule.Statement && { Statement: statementWith(rule.Statement, header, keys) }) }))

function statementWith(statement: Statement, header: string, keys: readonly string[]): Statement {
  const again = (inner: Statement) => statementWith(inner, header, keys)
  const own = comparesHeader(statement, header) ? statement : statement.OrStatement?.Statements?.[0]
  if (own && comparesHeader(own, header)) return comparison(own, keys)
  const { AndStatement, OrStatement, NotStatement, RateBasedStatement } = statement
  if (AndStatement?.Statements) return { AndStatement: { Statements: AndStatement.Statements.map(again) } }
  if (OrStatement?.Statements) return { OrStatement: { Statements: OrStatement.Statements.map(again) } }
  if (NotStatement?.Statement) return { NotStatement: { Statement: again(NotStatement.Statement) } }
  if (RateBasedStatement?.ScopeDownStatement) {
    const ScopeDownStatement = again(RateBasedStatement.ScopeDownStatement)
    return { RateBasedStatement: { ...RateBasedStatement, ScopeDownStatement } }
  }
  return statement
}

const comparesHeader = ({ ByteMatchStatement: compared }: Statement, header: string): boolean =>
  compared?.FieldToMatch?.SingleHeader?.Name?.toLowerCase() === header

function comparison({ ByteMatchStatement: compared }: Statement, keys: readonly string[]): Statement {
  const Statements = keys.map((key) => ({
    ByteMatchStatement: { ...compared, SearchString: new TextEncoder().encode(key) },
  })) as Statement[] // safe because what it was made from compares a header
  return Statements.length === 1 && Statements[0] ? Statements[0] : { OrStatement: { Statements } }
}

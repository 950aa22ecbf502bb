/** Local names of resources. Names and ARNs depend only on logical ids, so they are the same at every start. */
import { createHash } from 'node:crypto'
import { secretArn } from '../../emulators/aws/secrets-manager.ts'

export const region = 'us-east-1'
export const account = '000000000000'

interface Kind {
  /** The property with the resource's own name. */
  name?: string
  /** Prefix of an id that AWS would generate, as in `fs-0123…`. */
  id?: string
  /** The part of the ARN before the name: `service:region:account:kind/`. */
  arn?: string
  /** The property with the parent's name, which precedes the resource's own. */
  partOf?: string
  refIsArn?: true
}

const here = `${region}:${account}`

/** Resources that run here, or whose names others read. */
const known: Record<string, Kind> = {
  'AWS::ApiGateway::Deployment': { id: 'deploy-' },
  'AWS::ApiGateway::RestApi': { id: 'api-', arn: `apigateway:${region}::/restapis/` },
  'AWS::ApiGateway::Stage': { name: 'StageName' },
  'AWS::ApiGatewayV2::Api': { id: 'ws' },
  'AWS::ApiGatewayV2::Deployment': { id: 'deploy-' },
  'AWS::ApiGatewayV2::Integration': { id: 'integration-' },
  'AWS::ApiGatewayV2::IntegrationResponse': { id: 'response-' },
  'AWS::ApiGatewayV2::Route': { id: 'route-' },
  'AWS::ApiGatewayV2::RouteResponse': { id: 'response-' },
  'AWS::ApiGatewayV2::Stage': { name: 'StageName' },
  'AWS::CloudFront::Distribution': {},
  'AWS::CloudFront::Function': {},
  'AWS::CloudFront::ResponseHeadersPolicy': { id: 'headers-' },
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', arn: `dynamodb:${here}:table/` },
  'AWS::DynamoDB::Table': { name: 'TableName', arn: `dynamodb:${here}:table/` },
  'AWS::ECR::Repository': { name: 'RepositoryName', arn: `ecr:${here}:repository/` },
  'AWS::EC2::SecurityGroup': { id: 'sg-' },
  'AWS::EC2::Subnet': { id: 'subnet-' },
  'AWS::ECS::Cluster': { name: 'ClusterName', arn: `ecs:${here}:cluster/` },
  'AWS::ECS::Service': { name: 'ServiceName', arn: `ecs:${here}:service/` },
  'AWS::ECS::TaskDefinition': { name: 'Family', arn: `ecs:${here}:task-definition/`, refIsArn: true },
  'AWS::EFS::FileSystem': { id: 'fs-', arn: `elasticfilesystem:${here}:file-system/` },
  'AWS::Events::EventBus': { name: 'Name', arn: `events:${here}:event-bus/` },
  'AWS::Events::Rule': { name: 'Name', arn: `events:${here}:rule/` },
  'AWS::IAM::ManagedPolicy': { name: 'ManagedPolicyName', arn: `iam::${account}:policy/`, refIsArn: true },
  'AWS::IAM::Policy': { name: 'PolicyName' },
  'AWS::IAM::Role': { name: 'RoleName', arn: `iam::${account}:role/` },
  'AWS::KMS::Key': { arn: `kms:${here}:key/` },
  'AWS::Lambda::Alias': { name: 'Name', partOf: 'FunctionName', arn: `lambda:${here}:function:`, refIsArn: true },
  'AWS::Lambda::EventSourceMapping': { id: 'mapping-' },
  'AWS::Lambda::Function': { name: 'FunctionName', arn: `lambda:${here}:function:` },
  'AWS::Lambda::Permission': { id: 'permission-' },
  'AWS::Lambda::Version': { id: 'version-' },
  'AWS::Logs::LogGroup': { name: 'LogGroupName', arn: `logs:${here}:log-group:` },
  'AWS::S3::Bucket': { name: 'BucketName', arn: 's3:::' },
  'AWS::SES::ConfigurationSet': { name: 'Name' },
  'AWS::SES::ConfigurationSetEventDestination': {},
  'AWS::SES::EmailIdentity': { name: 'EmailIdentity', arn: `ses:${here}:identity/` },
  'AWS::Scheduler::ScheduleGroup': { name: 'Name', arn: `scheduler:${here}:schedule-group/` },
  'AWS::SecretsManager::Secret': { name: 'Name', refIsArn: true },
}

/** Resources that exist only in the cloud, with the reason. */
const cloudOnly: Record<string, string> = {
  'AWS::ApiGateway::Account': 'lets API Gateway write to CloudWatch, and there is none here',
  'AWS::ApiGateway::UsagePlan': 'the service counts its own limits',
  'AWS::Budgets::Budget': 'nothing here costs money',
  'AWS::CDK::Metadata': 'counts CDK versions for AWS',
  'AWS::CertificateManager::Certificate': 'plain HTTP on 127.0.0.1',
  'AWS::CloudFormation::WaitConditionHandle': 'orders the creation of others',
  'AWS::CloudFront::CachePolicy': 'nothing is cached between browser and service here',
  'AWS::CloudFront::OriginAccessControl': 'the dashboard is read from a folder',
  'AWS::CloudFront::OriginRequestPolicy': 'requests reach the gateway as they are',
  'AWS::CloudWatch::Alarm': 'no metrics here',
  'AWS::CloudWatch::CompositeAlarm': 'no metrics here',
  'AWS::CloudWatch::Dashboard': 'no metrics here',
  'AWS::EC2::FlowLog': 'tasks are child processes',
  'AWS::EC2::InternetGateway': 'tasks are child processes',
  'AWS::EC2::Route': 'tasks are child processes',
  'AWS::EC2::RouteTable': 'tasks are child processes',
  'AWS::EC2::SecurityGroupEgress': 'tasks are child processes',
  'AWS::EC2::SecurityGroupIngress': 'tasks are child processes',
  'AWS::EC2::SubnetRouteTableAssociation': 'tasks are child processes',
  'AWS::EC2::VPC': 'tasks are child processes',
  'AWS::EC2::VPCEndpoint': 'tasks are child processes',
  'AWS::EC2::VPCGatewayAttachment': 'tasks are child processes',
  'AWS::ECS::ClusterCapacityProviderAssociations': 'tasks are child processes',
  'AWS::EFS::MountTarget': 'a volume is a folder',
  'AWS::KMS::Alias': 'nothing is encrypted at rest here',
  'AWS::Lambda::EventInvokeConfig': 'local/events/rules.ts tries twice again by itself',
  'AWS::Logs::MetricFilter': 'no metrics here',
  'AWS::S3::BucketPolicy': 'refuses plain HTTP, which is all there is here; nothing is granted by one',
  'AWS::Logs::ResourcePolicy': 'lets services of AWS log, which are not here',
  'AWS::Route53Resolver::FirewallDomainList': 'names are asked of this computer',
  'AWS::Route53Resolver::FirewallRuleGroup': 'names are asked of this computer',
  'AWS::Route53Resolver::FirewallRuleGroupAssociation': 'names are asked of this computer',
  'AWS::Route53Resolver::ResolverQueryLoggingConfig': 'names are asked of this computer',
  'AWS::Route53Resolver::ResolverQueryLoggingConfigAssociation': 'names are asked of this computer',
  'AWS::SSM::Parameter': 'passes values between stacks, which the template reader resolves',
  'AWS::SNS::Subscription': 'alarms do not fire here',
  'AWS::SNS::Topic': 'alarms do not fire here',
  'AWS::SNS::TopicPolicy': 'alarms do not fire here',
  'AWS::SQS::Queue': 'holds what could not be delivered; here the log says so, and nothing reads a queue',
  'AWS::SQS::QueuePolicy': 'there are no queues here',
  'AWS::WAFv2::LoggingConfiguration': 'no firewall before 127.0.0.1',
  'AWS::WAFv2::WebACL': 'no firewall before 127.0.0.1',
  'AWS::WAFv2::WebACLAssociation': 'no firewall before 127.0.0.1',
  'Custom::CDKBucketDeployment': 'the dashboard is read from a folder',
}

/** Undefined for a type that runs here. @throws for an unknown type */
export function cloudOnlyReason(type: string, path: string): string | undefined {
  if (known[type]) return undefined
  const reason = cloudOnly[type]
  if (!reason) {
    throw new Error(
      `The template has ${type} (${path}), which the local runner does not know: run it, or list it as cloud-only with a reason, in local/template/resource-types.ts`,
    )
  }
  return reason
}

export function physicalName(type: string, stack: string, logicalId: string, named: string | undefined): string {
  if (named) return named
  const id = known[type]?.id
  if (id) return `${id}${createHash('sha256').update(`${stack}/${logicalId}`).digest('hex').slice(0, 17)}`
  return type === 'AWS::S3::Bucket' ? `${stack}-${logicalId}`.toLowerCase() : `${stack}-${logicalId}`
}

/** The properties that name a resource of this type, the parent's first. */
export function nameProperties(type: string): string[] {
  const { name, partOf } = known[type] ?? {}
  return [partOf, name].filter((property) => property !== undefined)
}

export function arnOf(type: string, name: string): string {
  if (type === 'AWS::SecretsManager::Secret') return secretArn(region, name)
  const kind = known[type]?.arn ?? `${(type.split('::')[1] ?? 'local').toLowerCase()}:${here}:`
  return `arn:aws:${kind}${name}`
}

export const executeApiHost = (apiId: string): string => `${apiId}.execute-api.${region}.amazonaws.com`

export const refOf = (type: string, name: string, arn: string): string => (known[type]?.refIsArn ? arn : name)

/** Other attributes get a stable value that shows their origin. */
export function attributeOf(type: string, name: string, arn: string, attribute: string): string {
  // Includes all log streams, as in CloudFormation.
  if (type === 'AWS::Logs::LogGroup' && attribute === 'Arn') return `${arn}:*`
  if (attribute === 'Arn' || (attribute === 'Id' && known[type]?.refIsArn)) return arn
  if (attribute === 'ApiEndpoint') return `wss://${executeApiHost(name)}`
  if (attribute === 'RegionalDomainName') return `${name}.s3.${region}.amazonaws.com`
  if (attribute === 'StreamArn') return `${arn}/stream/2026-01-01T00:00:00.000`
  if (attribute === 'Name' || attribute === 'GroupId' || attribute === 'FileSystemId' || attribute === 'Id') return name
  return `${name}-${attribute}`
}

/** The runner's support of resource properties, with a reason for each unsupported one (`npm start -- --explain`). */
import { isObject, type Json } from './json.ts'
import type { Template } from './template.ts'

interface Support {
  /** Supported properties: paths, each including everything below. */
  done: string
  /** Properties without effect here, with the reason: paths, each including everything below. The longest path wins. */
  left: Record<string, string>
}

const named = 'tells people what it is for'
const inCloud = 'is about the account in the cloud'
const network = 'a task is a process of this computer, in its network'
const encryption = 'nothing is encrypted at rest here'
const oneApi = 'there is one of each kind here'
const noQueue = 'what cannot be delivered is a line of logs/berth.log, and in no queue'

const support: Record<string, Support> = {
  'AWS::ApiGateway::Deployment': { done: '', left: { Description: named, RestApiId: oneApi } },
  'AWS::ApiGateway::RestApi': {
    done: 'Body MinimumCompressionSize Name',
    left: { EndpointConfiguration: inCloud, Parameters: inCloud },
  },
  'AWS::ApiGateway::Stage': {
    done: 'StageName MethodSettings.ThrottlingRateLimit MethodSettings.ThrottlingBurstLimit MethodSettings.HttpMethod MethodSettings.ResourcePath',
    left: {
      DeploymentId: oneApi,
      RestApiId: oneApi,
      AccessLogSetting: 'functions log what they answer; nothing is logged about requests that reach none',
      'MethodSettings.DataTraceEnabled': 'it is off',
      'MethodSettings.LoggingLevel': 'the runner logs its own faults only',
      'MethodSettings.MetricsEnabled': 'no metrics here',
      TracingEnabled: 'no traces here',
    },
  },
  'AWS::ApiGatewayV2::Api': { done: 'Name ProtocolType RouteSelectionExpression', left: {} },
  'AWS::ApiGatewayV2::Integration': {
    done: 'IntegrationType IntegrationUri RequestTemplates TemplateSelectionExpression TimeoutInMillis',
    left: { ApiId: oneApi },
  },
  'AWS::ApiGatewayV2::Route': {
    done: 'AuthorizationType RouteKey RouteResponseSelectionExpression Target',
    left: { ApiId: oneApi },
  },
  'AWS::ApiGatewayV2::Stage': {
    done: 'StageName',
    left: {
      ApiId: oneApi,
      AutoDeploy: 'a template that differs is deployed at once',
      'DefaultRouteSettings.ThrottlingRateLimit': 'messages of sockets are not counted here',
      'DefaultRouteSettings.ThrottlingBurstLimit': 'messages of sockets are not counted here',
    },
  },
  'AWS::CloudFront::Distribution': {
    done: 'DistributionConfig.CacheBehaviors DistributionConfig.Origins.Id DistributionConfig.Origins.OriginPath',
    left: {
      'DistributionConfig.Aliases': 'the one origin is 127.0.0.1',
      'DistributionConfig.CacheBehaviors.AllowedMethods': 'the API says itself which methods it has',
      'DistributionConfig.CacheBehaviors.CachePolicyId': 'nothing is cached between browser and service here',
      'DistributionConfig.CacheBehaviors.Compress': 'answers of the API are compressed by the API',
      'DistributionConfig.CacheBehaviors.OriginRequestPolicyId': 'requests reach the API as they are',
      'DistributionConfig.CacheBehaviors.ViewerProtocolPolicy': 'plain HTTP on 127.0.0.1',
      'DistributionConfig.CustomErrorResponses': 'errors are not kept here',
      'DistributionConfig.DefaultCacheBehavior':
        'the pages, with the one policy of headers and the one function that there is for them',
      'DistributionConfig.DefaultCacheBehavior.AllowedMethods': 'pages are read only',
      'DistributionConfig.DefaultCacheBehavior.CachePolicyId': 'nothing is cached between browser and service here',
      'DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy': 'plain HTTP on 127.0.0.1',
      'DistributionConfig.DefaultRootObject': 'the dashboard is one page',
      'DistributionConfig.Enabled': inCloud,
      'DistributionConfig.HttpVersion': 'HTTP/1.1 only',
      'DistributionConfig.IPV6Enabled': 'it listens on 127.0.0.1 only',
      'DistributionConfig.Logging': 'nothing stands between browser and service here',
      'DistributionConfig.Origins.CustomOriginConfig': 'plain HTTP within one process, without a limit of time',
      'DistributionConfig.Origins.DomainName': 'all is on one port',
      'DistributionConfig.Origins.OriginCustomHeaders':
        'requests come without the edge’s key: whoever connects is the viewer',
      'DistributionConfig.Origins.OriginAccessControlId': 'the dashboard is read from a folder',
      'DistributionConfig.Origins.S3OriginConfig': 'the dashboard is read from a folder',
      'DistributionConfig.PriceClass': inCloud,
      'DistributionConfig.ViewerCertificate': 'plain HTTP on 127.0.0.1',
    },
  },
  'AWS::CloudFront::Function': {
    done: 'FunctionCode Name',
    left: { AutoPublish: inCloud, FunctionConfig: named },
  },
  'AWS::CloudFront::ResponseHeadersPolicy': { done: 'ResponseHeadersPolicyConfig', left: {} },
  'AWS::DynamoDB::Table': {
    done: 'AttributeDefinitions BillingMode GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes StreamSpecification TableName TimeToLiveSpecification',
    left: {
      DeletionProtectionEnabled: 'only `--reset` deletes tables here',
      PointInTimeRecoverySpecification: 'the store is one file: copy it',
      SSESpecification: encryption,
    },
  },
  'AWS::EC2::SecurityGroup': {
    done: '',
    left: {
      GroupDescription: named,
      SecurityGroupEgress: `${network}: it reaches what you reach`,
      SecurityGroupIngress: network,
      VpcId: network,
    },
  },
  'AWS::EC2::Subnet': {
    done: '',
    left: { AvailabilityZone: network, CidrBlock: network, MapPublicIpOnLaunch: network, Tags: named, VpcId: network },
  },
  'AWS::ECR::Repository': {
    done: '',
    left: {
      ImageScanningConfiguration: 'no image is pulled: programs are run from where they lie',
      ImageTagMutability: 'no image is pulled: programs are run from where they lie',
      LifecyclePolicy: 'no image is pulled: programs are run from where they lie',
      RepositoryName: named,
    },
  },
  'AWS::ECS::Cluster': { done: '', left: { ClusterSettings: 'no metrics here' } },
  'AWS::ECS::Service': {
    done: 'DesiredCount TaskDefinition',
    left: {
      Cluster: network,
      DeploymentConfiguration: 'a program that ends is started again; nothing is rolled back',
      DeploymentController: 'a program that ends is started again; nothing is rolled back',
      EnableECSManagedTags: inCloud,
      LaunchType: network,
      NetworkConfiguration: network,
    },
  },
  'AWS::ECS::TaskDefinition': {
    done: 'ContainerDefinitions.Command ContainerDefinitions.Environment ContainerDefinitions.Name ContainerDefinitions.Secrets',
    left: {
      'ContainerDefinitions.Essential': 'a service has one container',
      'ContainerDefinitions.Image': 'its program is run from where it lies',
      'ContainerDefinitions.LogConfiguration': 'it writes to logs/<name>.log',
      'ContainerDefinitions.ReadonlyRootFilesystem': 'it writes where you may write',
      'ContainerDefinitions.StopTimeout': 'it has as long as any child of the runner',
      Cpu: 'it has the processors that there are',
      ExecutionRoleArn: 'no image is pulled, and its secrets are given by the runner',
      Family: named,
      Memory: 'it has the memory that there is',
      NetworkMode: network,
      RequiresCompatibilities: network,
      RuntimePlatform: 'it runs on the Node of the project',
      TaskRoleArn: 'it calls nothing of AWS',
    },
  },
  'AWS::EFS::FileSystem': {
    done: 'FileSystemPolicy',
    left: {
      BackupPolicy: 'a volume is a folder: copy it',
      Encrypted: encryption,
      FileSystemTags: named,
      LifecyclePolicies: 'a folder is neither cold nor warm',
      ThroughputMode: 'it is as fast as the disk',
    },
  },
  'AWS::Events::EventBus': { done: 'Name', left: {} },
  'AWS::Events::Rule': {
    done: 'EventBusName EventPattern ScheduleExpression State Targets.Arn Targets.Id Targets.Input Targets.InputPath Targets.InputTransformer',
    left: {
      Description: named,
      'Targets.DeadLetterConfig': noQueue,
      'Targets.RetryPolicy': 'a function of this process is always reached; one that fails is called twice again',
    },
  },
  'AWS::IAM::ManagedPolicy': { done: 'ManagedPolicyName PolicyDocument', left: { Description: named, Path: named } },
  'AWS::IAM::Policy': { done: 'PolicyDocument PolicyName Roles', left: {} },
  'AWS::IAM::Role': {
    done: 'ManagedPolicyArns PermissionsBoundary Policies RoleName',
    left: {
      AssumeRolePolicyDocument: 'the runner acts by a role only where the template names it',
      Description: named,
    },
  },
  'AWS::KMS::Key': {
    done: '',
    left: {
      Description: named,
      EnableKeyRotation: 'a key is kept as it was made',
      KeyPolicy: 'it leaves the decision to the roles’ policies, and those are asked',
    },
  },
  'AWS::Lambda::Alias': {
    done: 'FunctionName Name',
    left: {
      FunctionVersion: 'an alias is what the template says: calls go over to it at once, and no alarm takes them back',
    },
  },
  'AWS::Lambda::EventSourceMapping': {
    done: 'BatchSize BisectBatchOnFunctionError Enabled EventSourceArn FilterCriteria FunctionName FunctionResponseTypes MaximumRecordAgeInSeconds MaximumRetryAttempts StartingPosition TumblingWindowInSeconds',
    left: {
      DestinationConfig: noQueue,
      ParallelizationFactor: 'the engine’s streams have one shard, whose batches go one after another',
    },
  },
  'AWS::Lambda::Function': {
    done: 'Code Environment FunctionName Handler LoggingConfig.LogGroup Role Timeout',
    left: {
      Architectures: 'it runs on this computer’s own',
      Description: named,
      'LoggingConfig.LogFormat': 'what it prints is written as it is',
      MemorySize: 'a function is told it, and may use more',
      ReservedConcurrentExecutions: 'as many run at once as are called',
      Runtime: 'it runs on the Node of the project',
      TracingConfig: 'no traces here',
    },
  },
  'AWS::Lambda::Permission': { done: 'Action FunctionName Principal SourceAccount SourceArn', left: {} },
  'AWS::Lambda::Version': {
    done: '',
    left: { Description: named, FunctionName: 'a function has the one version that the template says' },
  },
  'AWS::Logs::LogGroup': { done: 'LogGroupName', left: { RetentionInDays: 'logs stay until `--reset`' } },
  'AWS::S3::Bucket': {
    done: 'BucketName',
    left: {
      BucketEncryption: encryption,
      CorsConfiguration: 'any page may GET and PUT at a presigned address',
      LifecycleConfiguration: 'objects stay until they are deleted',
      OwnershipControls: inCloud,
      PublicAccessBlockConfiguration: 'only signed requests are answered anyway',
      VersioningConfiguration: 'an object has one version',
    },
  },
  'AWS::Scheduler::ScheduleGroup': { done: 'Name', left: {} },
  'AWS::SecretsManager::Secret': { done: 'GenerateSecretString Name SecretString', left: { Description: named } },
  'AWS::SES::ConfigurationSet': {
    done: 'Name',
    left: {
      DeliveryOptions: 'mails stay in the local mailbox',
      ReputationOptions: inCloud,
      SuppressionOptions: 'mails stay in the local mailbox',
    },
  },
  'AWS::SES::ConfigurationSetEventDestination': { done: 'ConfigurationSetName EventDestination', left: {} },
  'AWS::SES::EmailIdentity': {
    done: 'ConfigurationSetAttributes EmailIdentity',
    left: {
      DkimAttributes: 'mails stay in the local mailbox',
      DkimSigningAttributes: 'mails stay in the local mailbox',
      FeedbackAttributes: 'mails stay in the local mailbox',
      MailFromAttributes: 'mails stay in the local mailbox',
    },
  },
}

/** `Type.Path` of every supported property. */
export const read: string[] = Object.entries(support).flatMap(([type, { done }]) =>
  done.split(' ').flatMap((path) => (path ? [`${type}.${path}`] : [])),
)

interface Left {
  type: string
  /** For example `Targets.DeadLetterConfig`. */
  path: string
  reason: string
  /** Logical ids of the resources with the property. */
  resources: string[]
}

interface Unsupported {
  left: Left[]
  /** `type path` of each property that no list has. */
  unknown: string[]
}

/** The properties of a template that the runner does not support. Tags have no effect here. */
export function unsupported(template: Pick<Template, 'resources'>): Unsupported {
  const left = new Map<string, Left>()
  const unknown = new Set<string>()
  for (const { type, logicalId, properties } of template.resources) {
    const { done, left: reasons } = support[type] ?? { done: '', left: {} }
    const known = new Map<string, string | undefined>([
      ...done.split(' ').map((path) => [path, undefined] as const),
      ...Object.entries(reasons),
    ])
    for (const path of pathsOf(properties)) {
      const cover = covering(path, known)
      if (cover === undefined) unknown.add(`${type} ${path}`)
      const reason = cover && known.get(cover)
      if (!cover || !reason) continue
      const key = `${type} ${cover}`
      const entry = left.get(key) ?? { type, path: cover, reason, resources: [] }
      left.set(key, entry)
      if (entry.resources.at(-1) !== logicalId) entry.resources.push(logicalId)
    }
  }
  const all = [...left.values()].sort((a, b) => (`${a.type} ${a.path}` < `${b.type} ${b.path}` ? -1 : 1))
  return { left: all, unknown: [...unknown].sort() }
}

/** The longest listed path that includes `path`. */
function covering(path: string, known: ReadonlyMap<string, unknown>): string | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) if (known.has(at)) return at
  return undefined
}

/** Paths of all leaves, without list indexes. */
function pathsOf(value: Json, path = ''): string[] {
  if (Array.isArray(value) && value.length > 0) return [...new Set(value.flatMap((each) => pathsOf(each, path)))]
  if (!isObject(value) || Object.keys(value).length === 0) return path === '' ? [] : [path]
  return Object.entries(value).flatMap(([name, inner]) =>
    path === '' && name === 'Tags' ? [] : pathsOf(inner, path ? `${path}.${name}` : name),
  )
}

/** One line per difference between the cloud and this runner. */
export function explanation(template: Pick<Template, 'resources' | 'cloudOnly'>): string[] {
  const count = (resources: string[]) => (resources.length === 1 ? resources[0] : `${resources.length} of them`)
  return [
    'Properties that change nothing here:',
    ...unsupported(template).left.map(
      ({ type, path, reason, resources }) => `  ${type} ${path} (${count(resources)}): ${reason}`,
    ),
    'Types that have nothing here:',
    ...[...template.cloudOnly].sort().map(([type, reason]) => `  ${type}: ${reason}`),
  ]
}

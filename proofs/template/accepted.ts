/**
 * Accepted findings of checkers in the templates, with the reason: a finding's id, or its beginning. The proof fails
 * for an entry without a finding, so the list stays current.
 */
export const accepted: Record<string, string> = {
  // cfn-lint
  W3005: 'the CDK says by DependsOn what a reference says too: said twice, it is so once',

  // Checkov
  CKV_AWS_111: 'the CDK’s own uploader, which invalidates CloudFront: that action knows no resources in its policy',
  CKV_AWS_115: 'webhooks and the reconciler have theirs reserved; the others share what the account has',
  CKV_AWS_116: 'what is invoked without waiting has a destination for failures, which is not this property',
  CKV_AWS_117: 'functions reach DynamoDB, Stripe and providers of models; a NAT gateway would cost more than all else',
  CKV_AWS_119:
    'tables are encrypted with DynamoDB’s own key; what must not be read with a table (variables, agents’ secrets) is with ours',
  CKV_AWS_120: 'answers are about who asks',
  CKV_AWS_136: 'images are this project’s sources and public packages',
  CKV_AWS_149: 'secrets are encrypted with Secrets Manager’s own key, and read by name and role alone',
  CKV_AWS_158: 'logs hold no secrets (log-redaction.ts) and are encrypted with CloudWatch’s own key',
  CKV_AWS_173: 'variables hold names, no secrets',
  CKV_AWS_174:
    'without a domain of one’s own the certificate is CloudFront’s, which decides its versions (docs/deploy.md)',
  CKV_AWS_18: 'each object is asked for by a signed address or by a function, which logs it',
  CKV_AWS_192: 'nothing here is Java',
  CKV_AWS_21:
    'a restore point is a version: the bucket of files holds them under names of their own; the dashboard is made from the sources',
  CKV_AWS_26: 'mails of alarms name an alarm and its numbers',
  CKV_AWS_27: 'queues are encrypted with keys of SQS, which is another property',
  CKV_AWS_65: 'metrics of each task cost more than small machines; what users feel is measured by the service',
  CKV_AWS_68: 'the firewall stands before the API; the rest is public files',
  CKV_AWS_86: 'the API logs its requests; of public files nobody needs to know who read them',
  CKV_AWS_95: 'connections and their ends are lines of the function’s own log',

  // cdk-nag, AwsSolutions
  'AwsSolutions-APIG1': 'as CKV_AWS_95',
  'AwsSolutions-APIG2': 'operations hold their input against their schemas themselves, after they know the caller',
  'AwsSolutions-APIG4':
    '$connect authenticates in its function, and the other routes belong to a connection that was let in',
  'AwsSolutions-APIG6':
    'execution logs hold bodies, and with them what people wrote; the access log and the functions’ have each request',
  'AwsSolutions-CB4': 'as CKV_AWS_136',
  'AwsSolutions-CFR1': 'people are where they are',
  'AwsSolutions-CFR2': 'as CKV_AWS_68',
  'AwsSolutions-CFR3': 'as CKV_AWS_86',
  'AwsSolutions-CFR4': 'as CKV_AWS_174',
  'AwsSolutions-ECS2': 'as CKV_AWS_173',
  'AwsSolutions-ECS4': 'as CKV_AWS_65',
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]':
    'of the CDK’s own uploader',
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'how API Gateway is let into CloudWatch, once an account',
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
    'what CodeDeploy needs to move an alias is AWS’s to say; nobody else acts by that role',
  'AwsSolutions-IAM5[Action::s3:': 'of the CDK’s own uploader and of CodeBuild: what reads a bucket has several names',
  'AwsSolutions-IAM5[Resource::*]':
    'actions that know no resources (X-Ray, ListTasks, RegisterTaskDefinition, ListStreams, CloudFront’s of the uploader): conditions bound what can be',
  'AwsSolutions-IAM5[Resource::<DashboardFiles': 'the uploader writes the files of the dashboard',
  'AwsSolutions-IAM5[Resource::<Images': 'the CDK’s provider of custom resources calls its functions in any version',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:':
    'prices say which models may be called, and change without a deployment',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ecs:':
    'a family and its tasks for each user, under the stage’s name',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:elasticfilesystem:':
    'an access point for each user, by the stage’s tag',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:': 'connections of this one stage of the socket',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam:':
    'a role for each user, under the stage’s path, tag and boundary',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:': 'CodeBuild’s own log group',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-': 'the uploader reads what the CDK has uploaded',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:': 'a schedule for each timer, in the stage’s group',
  'AwsSolutions-IAM5[Resource::arn:aws:s3:::': 'objects of all users, under the folder that the port is about',
  'AwsSolutions-L1': 'the CDK’s own uploader, whose runtime the CDK chooses',
  'AwsSolutions-S1': 'as CKV_AWS_18',
  'AwsSolutions-SF1': 'the CDK’s own wait for a build: the functions that it calls log',
  'AwsSolutions-SF2': 'as AwsSolutions-SF1',
  'AwsSolutions-SMG4':
    'keys of others are theirs to change; ours that can change without a gap do by npm run admin -- rotate, when there is a reason',
  'AwsSolutions-SQS3': 'these are the dead-letter queues; what fills them is no queue',
}

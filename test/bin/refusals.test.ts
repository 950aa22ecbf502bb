import { remediesFor } from '../../bin/deploy/refusals.ts'

const failed = (type: string, reason: string, id = 'Thing') => ({ id, type, reason })
/** A custom resource's failure, as CloudFormation reports it. */
const custom = (message: string) =>
  failed('Custom::BerthImage', `Received response status [FAILED] from custom resource. Message returned: ${message}`)

test.each([
  [
    'an account without CloudFront',
    failed(
      'AWS::CloudFront::Distribution',
      'Resource handler returned message: "Access denied for operation \'AWS::CloudFront::Distribution: Your account must be verified before you can add new CloudFront resources. To verify your account, please contact AWS Support (https://console.aws.amazon.com/support/home#/) and include this error message."',
    ),
    /verified.*support case.*support\/home#\/case\/create/,
  ],
  [
    'an account without builds',
    custom('Cannot have more than 0 builds in queue for the account'),
    /servicequotas\/home\/services\/codebuild\/quotas\/L-5ED1D25B.*request-service-quota-increase.*--service-code codebuild/,
  ],
  [
    'reservations above the account’s limit',
    failed(
      'AWS::Lambda::Function',
      'Resource handler returned message: "Specified ReservedConcurrentExecutions for function decreases account\'s UnreservedConcurrentExecution below its minimum value of [100]."',
    ),
    /-c reserve=no.*L-B99A9384/,
  ],
  [
    'a missing service-linked role',
    failed(
      'AWS::ECS::ClusterCapacityProviderAssociations',
      'Unable to assume the service linked role. Please verify that the ECS service linked role exists.',
    ),
    /create-service-linked-role --aws-service-name ecs\.amazonaws\.com/,
  ],
  [
    'no access to billing',
    failed(
      'AWS::Budgets::Budget',
      'User: arn:aws:sts::1:assumed-role/cdk is not authorized to perform: budgets:ModifyBudget (Service: Budgets, Status Code: 400)',
    ),
    /root user.*Billing information/,
  ],
  [
    'a role that a service does not know yet',
    failed('AWS::EC2::FlowLog', 'Unable to assume given IAM role'),
    /seconds old\. Run this again/,
  ],
  [
    'a function’s role that Lambda does not know yet',
    failed('AWS::Lambda::Function', 'The role defined for the function cannot be assumed by Lambda.'),
    /seconds old/,
  ],
  [
    'a log group of an earlier attempt',
    failed(
      'AWS::Logs::LogGroup',
      'Resource of type \'AWS::Logs::LogGroup\' with identifier \'{"/properties/LogGroupName":"/aws/lambda/berth-prod-llm"}\' already exists.',
    ),
    /delete-log-group --log-group-name \/aws\/lambda\/berth-prod-llm\./,
  ],
  [
    'a secret of an earlier attempt',
    failed(
      'AWS::SecretsManager::Secret',
      'The operation failed because the secret berth/prod/stripe already exists. (Service: SecretsManager)',
    ),
    /never run.*delete-secret .*--secret-id berth\/prod\/stripe\./,
  ],
  [
    'a secret that is being deleted',
    failed(
      'AWS::SecretsManager::Secret',
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
    ),
    /delete-secret/,
  ],
  [
    'a sender of another stage',
    failed('AWS::SES::EmailIdentity', 'Identity hello@example.com already exists'),
    /another mailFrom.*delete-email-identity/,
  ],
  [
    'a log group of another stack (serverless#3237)',
    failed(
      'AWS::Logs::LogGroup',
      '/aws/lambda/x already exists in stack arn:aws:cloudformation:us-east-1:1:stack/alerts/1-48',
      'Log7',
    ),
    /^Log7 has .* another stack, arn:aws:cloudformation:us-east-1:1:stack\/alerts\/1-48\. Do not delete the resource/,
  ],
  ['another name that is taken', failed('AWS::Events::EventBus', 'Event bus x already exists', 'Bus4F'), /^Bus4F has/],
  ['too many VPCs', failed('AWS::EC2::VPC', 'The maximum number of VPCs has been reached.'), /vpc\/quotas\/L-F678F1CE/],
  [
    'a Fargate quota that is used up',
    failed('AWS::ECS::Service', "You've reached the limit on the number of vCPUs you can run concurrently"),
    /L-3032A538/,
  ],
  ['no capacity', failed('AWS::ECS::Service', 'Capacity is unavailable at this time.'), /no capacity/],
])('%s has a remedy', (_, event, remedy) => {
  expect(remediesFor([event])).toEqual([expect.stringMatching(remedy)])
})

test('a remedy is printed once, and an unknown failure has none', () => {
  const role = failed('AWS::EC2::FlowLog', 'Unable to assume given IAM role')
  expect(remediesFor([role, role])).toHaveLength(1)
  expect(remediesFor([failed('AWS::EC2::Subnet', 'Internal failure')])).toEqual([])
})

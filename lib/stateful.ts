/**
 * Types of resources that hold data which nothing can recreate. A stage that is no throw-away keeps them whatever
 * becomes of its stacks.
 */
export const statefulTypes: ReadonlySet<string> = new Set([
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::EFS::FileSystem',
  'AWS::ECR::Repository',
  'AWS::KMS::Key',
  'AWS::S3::Bucket',
  'AWS::Scheduler::ScheduleGroup',
])

/** Types of resources with data that cannot be recreated. A stage that keeps its data retains them. */
export const statefulTypes: ReadonlySet<string> = new Set([
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::EFS::FileSystem',
  'AWS::ECR::Repository',
  'AWS::KMS::Key',
  'AWS::S3::Bucket',
  'AWS::Scheduler::ScheduleGroup',
])

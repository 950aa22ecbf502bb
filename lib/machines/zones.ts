/** Availability zones with a subnet for machines. */
export const zoneCount = 2

/**
 * Ids of zones that have no Fargate, by Region:
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/AWS_Fargate-Regions.html, seen in November 2026. An
 * account sees only some zones of these Regions, so a template cannot know two that work.
 */
export const withoutFargate: Readonly<Record<string, readonly string[]>> = {
  'us-west-1': ['usw1-az2'],
  'ap-northeast-1': ['apne1-az3'],
}

/** Problems of a stage's zones, which are undefined if CloudFormation may take any. */
export function zoneProblems(region: string | undefined, zones: readonly string[] | undefined): string[] {
  const missing = withoutFargate[region ?? ''] ?? []
  if (!zones)
    return missing.length === 0
      ? []
      : [
          `zones: ${missing.join(', ')} of ${region} has no Fargate, so name two other zones of: aws ec2 describe-availability-zones --region ${region} --query 'AvailabilityZones[].ZoneId'`,
        ]
  return [
    ...(new Set(zones).size < zones.length ? ['zones: two different zones'] : []),
    ...zones.filter((zone) => missing.includes(zone)).map((zone) => `zones: ${zone} has no Fargate`),
  ]
}

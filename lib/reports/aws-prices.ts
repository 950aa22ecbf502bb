/** A price of a vendor, as its page says it. */
export interface VendorPrice {
  /** µUSD, fractions and all: vendors charge less than a micro-dollar for many things. */
  micros: number
  per: string
  source: string
  /** The date of the newest dated copy or quotation of the source: a day, or a month. */
  seen: string
}

const from =
  (source: string, seen: string) =>
  (micros: number, per: string): VendorPrice => ({ micros, per, source, seen })

const fargate = from('https://aws.amazon.com/fargate/pricing/', '2026-09-28')
const fargateSpot = from('https://dftu77xade0tc.cloudfront.net/fargate-spot-prices.json', '2026-09-28')
const vpc = from('https://aws.amazon.com/vpc/pricing/', '2026-09-28')
const efs = from('https://aws.amazon.com/efs/pricing/', '2026-06')
/** Quotations of the year 2026 differ: some still have the higher price of before. */
const efsRare = from('https://aws.amazon.com/efs/pricing/', '2024')
const backup = from('https://aws.amazon.com/backup/pricing/', '2026-06-13')
const s3 = from('https://aws.amazon.com/s3/pricing/', '2026-06')
const lambda = from('https://aws.amazon.com/lambda/pricing/', '2024')
const dynamo = from('https://aws.amazon.com/dynamodb/pricing/on-demand/', '2025-07-21')
const gateway = from('https://aws.amazon.com/api-gateway/pricing/', '2025-05-19')
const secretsManager = from('https://aws.amazon.com/secrets-manager/pricing/', '2024')
const kms = from('https://aws.amazon.com/kms/pricing/', '2024')
const watch = from('https://aws.amazon.com/cloudwatch/pricing/', '2024')
const xray = from('https://aws.amazon.com/xray/pricing/', '2024')
const firewall = from('https://aws.amazon.com/waf/pricing/', '2024')
const logs = from('https://aws.amazon.com/cloudwatch/pricing/', '2024')
const registry = from('https://aws.amazon.com/ecr/pricing/', '2024')
const builds = from('https://aws.amazon.com/codebuild/pricing/', '2024')
const mail = from('https://aws.amazon.com/ses/pricing/', '2024')
const edge = from('https://aws.amazon.com/cloudfront/pricing/', '2024')
const traffic = from('https://aws.amazon.com/ec2/pricing/on-demand/', '2024')
const resolver = from('https://aws.amazon.com/route53/pricing/', '2024')
const steps = from('https://aws.amazon.com/step-functions/pricing/', '2024')
const bridge = from('https://aws.amazon.com/eventbridge/pricing/', '2026-03-13')

/** The Region whose prices these are. */
export const pricedRegion = 'us-east-1'

/** This service's AWS prices: on demand, without free tiers and discounts. */
export const awsPrices = {
  fargateVcpuHour: fargate(32_380, 'vCPU-hour, Linux on ARM'),
  fargateGibHour: fargate(3_560, 'GiB-hour, Linux on ARM'),
  // These two move: the price of the day is at their source.
  spotVcpuHour: fargateSpot(10_309.69, 'vCPU-hour, Fargate Spot, Linux on ARM'),
  spotGibHour: fargateSpot(1_133.49, 'GiB-hour, Fargate Spot, Linux on ARM'),
  publicIpv4Hour: vpc(5_000, 'hour of a public IPv4 address'),
  efsGibMonth: efs(300_000, 'GiB-month, Standard'),
  efsReadGib: efs(30_000, 'GiB read, elastic throughput'),
  efsWriteGib: efs(60_000, 'GiB written, elastic throughput'),
  efsRareGibMonth: efsRare(16_000, 'GiB-month, Infrequent Access'),
  efsRareGib: efsRare(10_000, 'GiB read from or moved to Infrequent Access'),
  backupGibMonth: backup(50_000, 'GiB-month of an EFS backup, warm'),
  s3GibMonth: s3(23_000, 'GiB-month, Standard'),
  s3Put: s3(5, 'PUT request, Standard'),
  lambdaGibSecond: lambda(13.3334, 'GiB-second on ARM'),
  lambdaRequest: lambda(0.2, 'request'),
  storeWriteUnit: dynamo(0.625, 'write request unit, on demand'),
  storeReadUnit: dynamo(0.125, 'read request unit, on demand'),
  storeGibMonth: dynamo(250_000, 'GiB-month, Standard table class'),
  storeBackupGibMonth: dynamo(200_000, 'GiB-month of continuous backups'),
  restRequest: gateway(3.5, 'request of a REST API'),
  socketMessage: gateway(1, 'message of a WebSocket API, at most 32 KiB'),
  socketMinute: gateway(0.25, 'connection minute of a WebSocket API'),
  secretMonth: secretsManager(400_000, 'secret and month'),
  secretRequest: secretsManager(5, 'request'),
  keyMonth: kms(1_000_000, 'key and month'),
  keyRequest: kms(3, 'request'),
  alarmMetricMonth: watch(100_000, 'metric that an alarm looks at, and month'),
  metricMonth: watch(300_000, 'metric of one’s own and month'),
  dashboardMonth: watch(3_000_000, 'dashboard and month'),
  metricRead: watch(10, 'metric that GetMetricData reads'),
  logGib: logs(500_000, 'GiB of logs, of functions and of AWS’s services'),
  trace: xray(5, 'trace that is recorded'),
  firewallMonth: firewall(5_000_000, 'web ACL and month'),
  firewallRuleMonth: firewall(1_000_000, 'rule of a web ACL and month'),
  firewallRequest: firewall(0.6, 'request'),
  imageGibMonth: registry(100_000, 'GiB-month of images'),
  buildMinute: builds(3_400, 'minute of a small build on ARM'),
  mail: mail(100, 'e-mail'),
  edgeRequest: edge(1, 'HTTPS request'),
  edgeGib: edge(85_000, 'GiB to viewers in North America and Europe'),
  edgeFunction: edge(0.1, 'call of a CloudFront function'),
  nameQuery: resolver(0.6, 'name query to a DNS firewall'),
  outGib: traffic(90_000, 'GiB from the Region to the internet'),
  workflow: steps(1, 'run of an Express workflow'),
  busEvent: bridge(1, 'event of one’s own'),
  timerEvent: bridge(1, 'invocation of EventBridge Scheduler'),
} as const satisfies Record<string, VendorPrice>

/** The fee of each card payment: https://stripe.com/pricing, 2026-11; basis points of the amount, and µUSD. */
export const cardFee = { basisPoints: 290, micros: 300_000 }

import { Asset } from 'aws-cdk-lib/aws-s3-assets'
import { CfnOutput, Lazy, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { Variable } from '../adapters/registry.ts'
import { referenceRuntime } from '../domain/instance/reference-runtime.ts'
import { operatorsText } from '../domain/operator/operators.ts'
import { termsText } from '../domain/trial/terms.ts'
import { areas } from '../lambdas/areas.ts'
import { socketArea } from '../lambdas/socket/index.ts'
import { watched } from './alarms/alarm-list.ts'
import { Alarms } from './alarms/alarms.ts'
import { Budget } from './alarms/budget.ts'
import { MetricsDashboard } from './alarms/metrics-dashboard.ts'
import { Api, apiStage } from './api/api.ts'
import { SocketApi } from './api/socket-api.ts'
import { mapsFolder } from './build/bundle.ts'
import { DiscordGateway } from './discord-gateway.ts'
import { Dashboard } from './edge/dashboard.ts'
import { Firewall } from './edge/firewall.ts'
import { deadLetterQueue } from './events/dead-letter-queue.ts'
import { JobRules } from './events/job-rules.ts'
import { followTables } from './events/table-changes.ts'
import { Functions } from './functions/functions.ts'
import { TrafficShift } from './functions/traffic-shift.ts'
import { ImportedState } from './imported-state.ts'
import { BuiltImages } from './machines/built-images.ts'
import type { ImageTags } from './machines/image-builds.ts'
import { Machines } from './machines/machines.ts'
import { MailIdentity } from './mail-identity.ts'
import { ReleaseSynthesizer } from './release-synthesizer.ts'
import { releaseOutput } from './stack-parameters.ts'
import { costTags, type Stage } from './stage.ts'

/** All resources that the code alone defines. Deleting and recreating this stack loses nothing. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: { stage: Stage; imageTags: ImageTags; built: string }) {
    const synthesizer = new ReleaseSynthesizer()
    // CloudFormation's limit is 1 MB; indentation would be a third of the template.
    super(scope, id, { synthesizer, suppressTemplateIndentation: true, tags: costTags(props.stage) })
    const { stage, imageTags, built } = props
    const state = new ImportedState(this, 'State', stage)
    const { tables, secrets, network, fileSystem, bus, schedules } = state
    const machines = new Machines(this, 'Machines', stage, state)
    const deadLetters = deadLetterQueue(this, 'Undelivered')
    const api = new Api(this, 'Api', stage, areas)
    const socket = new SocketApi(this, 'Socket', stage)
    const dashboard = new Dashboard(this, 'Dashboard', {
      stage,
      apiHost: api.host,
      socketHost: socket.host,
      filesHost: state.filesBucket.bucketRegionalDomainName,
      built,
      edgeKey: secrets['edge-key'],
    })
    const images = new BuiltImages(this, 'Images', { stage, state, tags: imageTags, built })
    const variables: Record<Variable, string> = {
      STAGE: stage.name,
      PUBLIC_ORIGIN: dashboard.origin,
      CELL: stage.cell,
      IMAGE_VERSION: images.version('agent'),
      LOG_LEVEL: stage.logLevel,
      BUS_NAME: bus.eventBusName,
      MAIL_FROM: stage.mail.from,
      ABUSE_MAIL: stage.mail.abuse,
      RUNTIMES: [referenceRuntime, ...stage.runtimes].join(','),
      OPERATORS: operatorsText(stage.operators),
      OPERATOR_MAX_CENTS: String(stage.operatorMaxCents),
      OPERATOR_MAX_DAY_CENTS: String(stage.operatorMaxDayCents),
      TRIAL: termsText(stage.trial),
      API_BASE: stage.local ? `${dashboard.origin}/${apiStage}` : api.base,
      SOCKET_API: socket.base,
      CLUSTER_ARN: machines.cluster.clusterArn,
      FILE_SYSTEM_ID: fileSystem.id,
      FILE_SYSTEM_ARN: fileSystem.arn,
      SUBNET_IDS: network.subnetIds,
      SECURITY_GROUP_ID: network.machinesGroupId,
      AGENT_IMAGE: machines.image,
      AGENT_LOG_GROUP: machines.logs.logGroupName,
      EXECUTION_ROLE_ARN: machines.executionRole.roleArn,
      TASK_BOUNDARY_ARN: machines.boundary.managedPolicyArn,
      MACHINE_ROLE_PATH: machines.rolePath,
      VARIABLES_KEY_ARN: state.variablesKeyArn,
      BUS_ARN: bus.eventBusArn,
      SCHEDULE_GROUP: schedules.group,
      SCHEDULER_ROLE_ARN: schedules.roleArn,
      SCHEDULES_DEAD_LETTERS: schedules.deadLetters.queueArn,
      FILES_BUCKET: state.filesBucket.bucketName,
    }
    const resources = { tables, secrets, variables, bus, machines, schedules, socket }
    const release = stage.local ? 'local' : Lazy.uncachedString({ produce: () => synthesizer.release.id })
    const functions = new Functions(this, 'Functions', { stage, areas, built, resources, deadLetters, release })
    api.invoke(areas, functions)
    socket.route(functions.of(socketArea))
    followTables(areas, functions, tables, deadLetters)
    new JobRules(this, 'Rules', { stage, areas, functions, bus, cluster: machines.cluster, deadLetters })
    new Firewall(this, 'Firewall', { stage, api: api.rest.deploymentStage, edgeKey: secrets['edge-key'] })
    new DiscordGateway(this, 'DiscordGateway', {
      stage,
      state,
      cluster: machines.cluster,
      apiBase: variables.API_BASE,
      // A stage without the listener needs no image of it.
      image: stage.discordGateway ? images.address('gateway') : state.images.repositoryUriForTag(imageTags.gateway),
    })
    new MailIdentity(this, 'Sender', stage)
    this.#say('Origin', dashboard.origin, 'Where browsers find the dashboard')
    this.#say('DistributionHost', dashboard.host, 'What the name of a domain of your own points to')
    this.#say('StripeWebhook', `${api.base}/webhooks/stripe`, 'Where Stripe sends its events')
    // For reading stack traces. The local service has the sources themselves.
    if (!stage.local) {
      const { s3ObjectUrl } = new Asset(this, 'Maps', { path: mapsFolder(built) })
      this.#say('SourceMaps', s3ObjectUrl, 'Turns a stack of these functions into lines of the sources')
    }
    this.#say(releaseOutput, release, 'Names this release')
    this.#say('ApiLog', api.log.logGroupName, 'Where each request is logged')
    const queues = { functions: deadLetters, schedules: schedules.deadLetters }
    const all = watched({
      ...{ stage, areas, functions, socket, tables },
      deadLetters: queues,
      api: api.rest,
    })
    const alarms = new Alarms(this, 'Alarms', {
      ...{ stage, deadLetters },
      watched: all,
      distributionId: dashboard.distributionId,
    })
    new MetricsDashboard(this, 'Metrics', { stage, watched: all, alarms: [...alarms.all] })
    dashboard.publishAfter(functions.all)
    if (!stage.disposable) new TrafficShift(this, 'Shift', { areas, functions, release, alarms: alarms.ofReleases })
    const { alarmMail, budgetDollars } = stage
    // Last, because it depends on everything before it.
    if (alarmMail && budgetDollars) new Budget(this, 'Costs', { dollars: budgetDollars, address: alarmMail })
  }

  #say(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description })
  }
}

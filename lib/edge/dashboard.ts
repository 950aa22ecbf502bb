import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  PriceClass,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { challengeOf } from '../../domain/oauth/metadata.ts'
import { edgeHeaders } from '../../lambdas/kit/client-address.ts'
import { apiStage } from '../api/api.ts'
import { socketStage } from '../api/socket-api.ts'
import type { Stage } from '../stage.ts'
import { rewriteToIndex, setViewerHeaders } from './cloudfront-functions.ts'
import { securityHeaders } from './security-headers.ts'

interface Props {
  stage: Stage
  apiHost: string
  socketHost: string
  /** Host of the bucket with files of messages. */
  filesHost: string
  built: string
  edgeKey: ISecret
}

type Viewer = NonNullable<BehaviorOptions['functionAssociations']>[number]

/** Pages from a bucket, `/api/*` and OAuth metadata from API Gateway, all under one origin for browsers. */
export class Dashboard extends Construct {
  /** `https://…` without a trailing slash. */
  readonly origin: string
  /** The distribution's own host, even if the stage has a domain. */
  readonly host: string
  readonly distributionId: string
  #pagesUpload?: BucketDeployment

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { stage } = props
    const files = new Bucket(this, 'Files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // BucketDeployment empties the bucket when it is deleted.
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const origin = stage.origin ?? (stage.domain && `https://${stage.domain.name}`)
    const viewer = this.#atRequest('Viewer', setViewerHeaders)
    const api = this.#api(props, viewer)
    // RFC 9728 and 8414 put metadata at the host's root, and clients guess the registration address there.
    const root = this.#api(props, viewer, `/${apiStage}`)
    const challenged = { ...api, responseHeadersPolicy: this.#challenge(origin) }
    const distribution = new Distribution(this, 'Distribution', {
      defaultBehavior: this.#pages(files, props.filesHost),
      // The first matching pattern applies.
      additionalBehaviors: {
        [`/${apiStage}/mcp`]: challenged,
        [`/${apiStage}/mcp/`]: challenged,
        [`/${apiStage}/*`]: api,
        // SDKs derive these paths from the host alone to call models.
        '/v1/*': root,
        '/.well-known/oauth-protected-resource*': root,
        [`/.well-known/oauth-authorization-server/${apiStage}*`]: root,
        '/.well-known/security.txt': root,
        '/openapi.json': root,
        '/register': root,
        [`/${socketStage}`]: this.#api({ ...props, apiHost: props.socketHost }, viewer),
      },
      defaultRootObject: 'index.html',
      errorResponses,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_100,
      ...(stage.domain && {
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        domainNames: [stage.domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', stage.domain.certificateArn),
      }),
    })
    this.host = distribution.distributionDomainName
    this.distributionId = distribution.distributionId
    this.origin = origin ?? `https://${this.host}`
    if (!stage.local) this.#pagesUpload = this.#upload(join(props.built, 'dashboard'), files, distribution, stage)
  }

  /** Uploads pages after the functions they call are live, and skips the upload when those are rolled back. */
  publishAfter(served: readonly Alias[]): void {
    for (const { node } of served) if (node.defaultChild) this.#pagesUpload?.node.addDependency(node.defaultChild)
  }

  /** @throws without a built dashboard: such a deployment would look successful */
  #upload(pages: string, files: Bucket, distribution: Distribution, { logDays }: Stage): BucketDeployment {
    if (!existsSync(join(pages, 'index.html'))) throw new Error(`There is no dashboard in ${pages}: build it first.`)
    const logGroup = new LogGroup(this, 'UploadLogs', {
      retention: logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // Keeps assets of older dashboards for pages that are still open in browsers.
    const props = { destinationBucket: files, memoryLimit: 512, logGroup, prune: false, retainOnDelete: false }
    const assets = new BucketDeployment(this, 'Assets', {
      ...props,
      sources: [Source.asset(join(pages, 'assets'))],
      destinationKeyPrefix: 'assets',
      // The file names contain a hash of the content.
      cacheControl: [CacheControl.fromString('public, max-age=31536000, immutable')],
    })
    const others = new BucketDeployment(this, 'Upload', {
      ...props,
      sources: [Source.asset(pages, { exclude: ['assets'] })],
      cacheControl: [CacheControl.noCache()],
      distribution,
      distributionPaths: ['/index.html'],
    })
    // Upload a page only after the assets that it loads.
    others.node.addDependency(assets)
    return others
  }

  #pages(files: Bucket, filesHost: string): BehaviorOptions {
    return {
      // S3 answers 403 instead of 404 if listing is not allowed.
      origin: S3BucketOrigin.withOriginAccessControl(files, {
        originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      responseHeadersPolicy: securityHeaders(this, filesHost),
      functionAssociations: [this.#atRequest('Pages', rewriteToIndex)],
    }
  }

  #api({ apiHost, edgeKey }: Pick<Props, 'apiHost' | 'edgeKey'>, viewer: Viewer, originPath?: string): BehaviorOptions {
    return {
      origin: new HttpOrigin(apiHost, {
        ...(originPath !== undefined && { originPath }),
        // A stream is silent for at most 15 s, and a buffered response takes at most 29 s. Buffered model answers may
        // take longer: docs/proxy.md recommends streaming for these.
        readTimeout: Duration.seconds(60),
        keepaliveTimeout: Duration.seconds(60),
        customHeaders: { [edgeHeaders.key]: edgeKey.secretValueFromJson('key').unsafeUnwrap() },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      compress: false,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [viewer],
    }
  }

  /**
   * The `WWW-Authenticate` header of MCP's 401. API Gateway renames a function's header, and CloudFront functions do
   * not run for an origin's errors. So every answer at this address carries the header, as RFC 9110 allows. A
   * distribution without a domain cannot name itself here, because it would depend on itself. Clients then request the
   * metadata at its default address.
   */
  #challenge(origin: string | undefined): ResponseHeadersPolicy {
    const value = origin === undefined ? 'Bearer' : challengeOf(origin)
    return new ResponseHeadersPolicy(this, 'Challenge', {
      customHeadersBehavior: { customHeaders: [{ header: 'WWW-Authenticate', value, override: true }] },
    })
  }

  #atRequest(id: string, code: string): Viewer {
    return {
      function: new CloudFrontFunction(this, id, {
        code: FunctionCode.fromInline(code),
        runtime: FunctionRuntime.JS_2_0,
      }),
      eventType: FunctionEventType.VIEWER_REQUEST,
    }
  }
}

/** Statuses that the API never answers: such a response is CloudFront's own, with an HTML page. */
const edgeStatuses = [414, 504]

/**
 * Without an entry, CloudFront caches these errors for ten seconds. Only its own errors get a page, because a page
 * would replace the API's body.
 */
const errorResponses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(0),
  ...(edgeStatuses.includes(httpStatus) && {
    responseHttpStatus: httpStatus,
    responsePagePath: `/error-${httpStatus}.json`,
  }),
}))

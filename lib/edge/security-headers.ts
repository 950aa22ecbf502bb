import { HeadersFrameOption, HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront'
import { Duration } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'

/**
 * The dashboard loads only its own files and files of messages; no page may frame it. 'self' covers its WebSocket (in
 * Safari from 15.4, the oldest version that the build supports); `wss:` would allow every host.
 */
const contentSecurityPolicy = (filesHost: string) =>
  [
    "default-src 'self'",
    `connect-src 'self' https://${filesHost}`,
    `img-src 'self' data: blob: https://${filesHost}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

export const securityHeaders = (scope: Construct, filesHost: string): ResponseHeadersPolicy =>
  new ResponseHeadersPolicy(scope, 'Headers', {
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy: contentSecurityPolicy(filesHost), override: true },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.SAME_ORIGIN, override: true },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.days(365),
        includeSubdomains: true,
        override: true,
      },
    },
    customHeadersBehavior: {
      customHeaders: [
        { header: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=()', override: true },
        { header: 'Cross-Origin-Opener-Policy', value: 'same-origin', override: true },
      ],
    },
  })

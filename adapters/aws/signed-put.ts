import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/** Turns off the SDK's own checksums: a signed upload has our SHA-256 or none. */
export const objectClient = () =>
  new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' })

/** A signed address for uploading exactly `size` bytes; with `sha256` (hex) only those bytes. */
export function signPut(
  s3: S3Client,
  { size, sha256, ...at }: { Bucket: string; Key: string; size: number; sha256?: string | undefined },
  expiresIn: number,
): Promise<string> {
  const checksum = sha256 && Buffer.from(sha256, 'hex').toString('base64')
  const command = new PutObjectCommand({ ...at, ContentLength: size, ...(checksum && { ChecksumSHA256: checksum }) })
  // Signed as headers, so that S3 rejects other lengths and contents.
  return getSignedUrl(s3, command, {
    expiresIn,
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
    signableHeaders: new Set(['host', 'content-length', 'x-amz-checksum-sha256']),
  })
}

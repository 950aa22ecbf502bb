import { describe, expect, test } from '@jest/globals'
import { signed } from '../../../adapters/aws/sigv4.ts'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const now = new Date('2015-08-30T12:36:00.000Z')
const sign = (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
  const url = new URL(`https://example.amazonaws.com${path}`)
  return signed({ method, url, headers, body }, credentials, 'us-east-1', 'service', now)
}

describe('Signature Version 4 against the vectors AWS publishes', () => {
  test.each([
    ['get-vanilla', 'GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      {},
      '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', (_, method, path, headers, body, signature) => {
    expect(sign(method, path, headers, body).authorization).toMatch(new RegExp(`Signature=${signature}$`))
  })
})

test('a session token is sent and signed', () => {
  const url = new URL('https://example.amazonaws.com/')
  const headers = signed(
    { method: 'GET', url, headers: {}, body: '' },
    { ...credentials, sessionToken: 'session' },
    'us-east-1',
    'service',
    now,
  )
  expect(headers).toMatchObject({ 'x-amz-security-token': 'session', 'x-amz-date': '20150830T123600Z' })
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token')
})

test('a model’s name in a path is escaped twice, as every service but S3 wants it', () => {
  const plain = sign('POST', '/model/a.b-v1:0/invoke').authorization
  expect(sign('POST', '/model/a.b-v1%3A0/invoke').authorization).not.toBe(plain)
})

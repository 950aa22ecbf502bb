import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const hex = (text: string) => Buffer.from(text, 'hex')
const time = (ms: number) => {
  const digits = new Date(ms).toISOString().replace(/\D/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}
const ecdsaWithSha256 = der(0x30, der(0x06, hex('2a8648ce3d040302')))
const dayMs = 86_400_000

/** A self-signed certificate for these names, with its key. */
export function newCertificate(names: string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(0x30, der(0x31, der(0x30, der(0x06, hex('550403')), der(0x0c, Buffer.from('a test')))))
  const alternatives = der(0x30, ...names.map((each) => der(0x82, Buffer.from(each))))
  const extension = (id: string, value: Buffer) => der(0x30, der(0x06, hex(id)), der(0x04, value))
  const signed = der(
    0x30,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ecdsaWithSha256,
    name,
    der(0x30, time(Date.now() - dayMs), time(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension('551d11', alternatives), extension('551d13', der(0x30, der(0x01, hex('ff')))))),
  )
  const signature = der(0x03, hex('00'), sign('sha256', signed, privateKey))
  const base64 = der(0x30, signed, ecdsaWithSha256, signature).toString('base64')
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}

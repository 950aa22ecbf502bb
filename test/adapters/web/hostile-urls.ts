/** IPv4 addresses outside the public internet, each of another network. */
export const closedIpv4 = [
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '169.254.170.2',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '0.0.0.0',
  '0.1.2.3',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

/** IPv6 addresses outside the public internet, or with an IPv4 address inside. */
export const closedIpv6 = [
  '::1',
  '::',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '0:0:0:0:0:ffff:127.0.0.1',
  '::127.0.0.1',
  '::7f00:1',
  '::169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::127.0.0.1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2001:0:7f00:1::',
  '2001:0:4136:e378:8000:63bf:80ff:fffe',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '5f00::1',
]

const parts = (address: string) => address.split('.').map(Number)
const number = (address: string) => parts(address).reduce((sum, part) => sum * 256 + part, 0)
const digits = (address: string, zero: string) =>
  address.replace(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)))
const percent = (text: string) =>
  text.replace(/[\w.]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Notations of an IPv4 address that at least one parser accepts as a host. */
const writings: ((address: string) => string)[] = [
  (address) => address,
  (address) => `${address}.`,
  (address) => String(number(address)),
  (address) => `0x${number(address).toString(16)}`,
  (address) => `0${number(address).toString(8)}`,
  (address) =>
    parts(address)
      .map((part) => `0x${part.toString(16)}`)
      .join('.'),
  (address) =>
    parts(address)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  (address) =>
    parts(address)
      .map((part) => `000${part.toString(8)}`)
      .join('.'),
  (address) => `${parts(address)[0]}.${number(address) % 2 ** 24}`,
  (address) => `${parts(address).slice(0, 2).join('.')}.${number(address) % 2 ** 16}`,
  (address) =>
    `0x${parts(address)[0]?.toString(16)}.0${(parts(address)[1] ?? 0).toString(8)}.${number(address) % 2 ** 16}`,
  (address) => percent(address),
  (address) => address.replaceAll('.', '。'),
  (address) => address.replaceAll('.', '．'),
  (address) => digits(address, '０'),
  (address) => digits(address, '𝟎'),
]

/** Hosts that contain an address. */
const literalHosts = [
  ...['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'].flatMap((address) =>
    writings.map((write) => write(address)),
  ),
  ...closedIpv4,
  ...closedIpv6.map((address) => `[${address}]`),
  ...['[::1%25lo]', '[fe80::1%25eth0]', '[::1%lo]', '0', '0x0', '127.1', '①②⑦.⓪.⓪.①', '[::ffff:7f00:1%25lo]'],
]

/** Names of this machine or of a cloud's metadata service. */
export const privateNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'loopback',
  'ｌｏｃａｌｈｏｓｔ',
  'metadata',
  'metadata.google.internal',
  'instance-data.ec2.internal',
  'kubernetes.default.svc',
  'router.lan',
  'printer.local',
]

/** @param at the port of a server that listens on all addresses of this machine, as `:443`, or nothing */
export const hostileUrls = (at: string): string[] => [
  ...literalHosts.map((host) => `https://${host}${at}/`),
  ...privateNames.map((host) => `https://${host}${at}/`),
  // Credentials and other parts that make one parser read another host.
  `https://user@127.0.0.1${at}/`,
  `https://user:pass@public.hostile.test${at}/`,
  `https://public.hostile.test@127.0.0.1${at}/`,
  `https://public.hostile.test:443@127.0.0.1${at}/`,
  `https://127.0.0.1${at}@public.hostile.test${at}/`,
  `https://127.0.0.1${at}\\@public.hostile.test${at}/`,
  `https://127.0.0.1${at}#@public.hostile.test/`,
  `https://127.0.0.1${at}?@public.hostile.test/`,
  `https://127.0.0.1%00.public.hostile.test${at}/`,
  `https://127.0.0.1%0d%0aHost:a${at}/`,
  `https:127.0.0.1${at}/`,
  `https:/127.0.0.1${at}/`,
  `https:///127.0.0.1${at}/`,
  `https:\\\\127.0.0.1${at}\\`,
  `  https://127.0.0.1${at}/  `,
  `https://127.0\n.0.1${at}/`,
  `hTTps://127.0.0.1${at}/`,
  `//127.0.0.1${at}/`,
  // Other schemes.
  ...['http', 'ftp', 'file', 'gopher', 'ws', 'wss', 'dict', 'ldap', 'jar'].flatMap((scheme) => [
    `${scheme}://127.0.0.1${at}/`,
    `${scheme}://public.hostile.test${at}/`,
  ]),
  `javascript:fetch("https://127.0.0.1${at}/")`,
  'data:text/plain,hello',
  'blob:https://127.0.0.1/1',
  'unix:/var/run/docker.sock',
  'http://unix:/var/run/docker.sock:/info',
  '',
  'https://',
]

/** The only globals that compile in this folder: names of the web platform that Node and browsers both have. */

declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(label?: 'utf-8', options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}

declare class URL {
  constructor(address: string, base?: string | URL)
  static canParse(address: string, base?: string): boolean
  static parse(address: string, base?: string): URL | null
  hash: string
  host: string
  hostname: string
  href: string
  readonly origin: string
  password: string
  pathname: string
  port: string
  protocol: string
  search: string
  readonly searchParams: URLSearchParams
  username: string
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(fields?: string | Record<string, string> | Iterable<[string, string]>)
  append(name: string, value: string): void
  delete(name: string): void
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string): boolean
  set(name: string, value: string): void
  toString(): string
  [Symbol.iterator](): IterableIterator<[string, string]>
}

declare function atob(base64: string): string
declare function btoa(bytes: string): string

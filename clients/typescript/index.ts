export { BerthError, type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export type * from './operations.ts'

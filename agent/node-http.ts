/**
 * Node's `node:http`. An `import` of that module reads all its exports, and three of them load Node's `fetch`, which
 * costs 12 MB of memory in each process.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

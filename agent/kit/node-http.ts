/** Node's `node:http`. An `import` reads all its exports, and three of them load Node's `fetch`: 12 MB per process. */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

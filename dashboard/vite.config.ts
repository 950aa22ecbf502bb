import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { docsPlugin } from './docs/build.ts'

type Chunk = Rolldown.OutputChunk

/** Pages that few people open: their code is requested when they are drawn. */
const rare = ['authorize', 'connect-slack', 'doctor', 'operator', 'unsubscribe', 'view']

/** Names the code of each page in `index.html`: `public/first.js` requests it together with the shared code. */
const pageCode = (): Plugin => ({
  name: 'page-code',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { path, bundle = {} }) {
      if (path !== '/index.html') return
      const chunks = Object.values(bundle).filter((file): file is Chunk => file.type === 'chunk')
      const filesOf = (chunk: Chunk): Set<string> => {
        const files = new Set([chunk.fileName])
        for (const file of files)
          for (const next of chunks.find((each) => each.fileName === file)?.imports ?? []) files.add(next)
        return files
      }
      const first = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => [...filesOf(chunk)]))
      const pages = chunks.flatMap((chunk) => {
        const name = /\/pages\/([\w-]+)\.tsx$/.exec(chunk.facadeModuleId ?? '')?.[1]
        return name && !rare.includes(name)
          ? [[name, [...filesOf(chunk)].filter((file) => !first.has(file)).map((file) => `/${file}`)]]
          : []
      })
      const content = JSON.stringify(Object.fromEntries(pages))
      return [{ tag: 'meta', attrs: { name: 'page-code', content }, injectTo: 'head-prepend' }]
    },
  },
})

/** Nothing is inlined, so `default-src 'self'` is all the policy the pages need. */
export default defineConfig({
  plugins: [react(), pageCode(), docsPlugin()],
  build: {
    outDir: process.env.DASHBOARD_OUT ?? '../dist/dashboard',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      output: {
        // Few and large chunks: each request costs a slow connection more than some unused code.
        codeSplitting: {
          groups: [
            // Pages below /docs share this code with the dashboard, and no other.
            { name: 'imports', test: /vite\/preload-helper/, priority: 4 },
            { name: 'core', tags: ['$initial'], test: /^(?!.*\/dashboard\/docs\/)/, priority: 3 },
            {
              name: 'parts',
              test: /\/dashboard\/(components\/(?!markdown)|data\/|texts\/marked|trial\/kept-prompt|chat\/(activity-list|drafts))|attachment-limits/,
              minShareCount: 2,
              priority: 2,
            },
            {
              name: 'markdown',
              test: /\/domain\/markdown\/|\/dashboard\/(components\/markdown|markdown\/(elements|growing))|\/marked\//,
              priority: 1,
            },
          ],
        },
      },
    },
  },
})

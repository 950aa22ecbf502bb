import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { docsPlugin } from './docs/build.ts'

/** Nothing is inlined, so `default-src 'self'` is all the policy the pages need. */
export default defineConfig({
  plugins: [react(), docsPlugin()],
  build: {
    outDir: process.env.DASHBOARD_OUT ?? '../dist/dashboard',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})

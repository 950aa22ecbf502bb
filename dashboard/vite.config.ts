import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Nothing is inlined, so `default-src 'self'` is all the policy the pages need. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: process.env.DASHBOARD_OUT ?? '../dist/dashboard',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})

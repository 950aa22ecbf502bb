/** The arguments of node, run at the root, to build the dashboard into a folder. */
export const viteBuild = (outDir: string) => ({
  args: ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--outDir', outDir, '--emptyOutDir'],
  env: { NODE_ENV: 'production' },
})

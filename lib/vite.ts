/** The command, for node at the top of the project, that builds the dashboard into a folder. */
export const viteBuild = (outDir: string) => ({
  args: ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--outDir', outDir, '--emptyOutDir'],
  env: { NODE_ENV: 'production' },
})

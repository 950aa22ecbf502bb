import type { BuildOptions, Plugin } from 'esbuild'

/** Without bundles, each function's folder holds the source of its entry point in this file. */
export const entryPointFile = 'entry-point.ts'

/** esbuild options for functions, as they are deployed; `source` returns the text of the entry point `entry-point:<name>`. */
export const bundling = (root: string, source: (name: string) => string) =>
  ({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    plugins: [entryPoints(root, source)],
    legalComments: 'none',
    minify: true,
  }) satisfies BuildOptions

/** Entry points are generated text. esbuild resolves their imports from the root. */
const entryPoints = (root: string, source: (name: string) => string): Plugin => ({
  name: 'entry-points',
  setup(build) {
    build.onResolve({ filter: /^entry-point:/ }, ({ path }) => ({
      path: path.slice('entry-point:'.length),
      namespace: 'entry-point',
    }))
    build.onLoad({ filter: /.*/, namespace: 'entry-point' }, ({ path }) => ({
      contents: source(path),
      resolveDir: root,
      loader: 'ts',
    }))
  },
})

import type { BuildOptions, Plugin } from 'esbuild'

/** The file in a function's folder that holds the text of its entry point, where synthesis makes no bundles. */
export const entryPointFile = 'entry-point.ts'

/** How functions are bundled, on a laptop too; `source` gives the text of the entry point `entry-point:<name>`. */
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
  }) satisfies BuildOptions

/** Entry points are no files: their text is generated, and read as if it lay at the root. */
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

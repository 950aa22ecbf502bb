import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { debianRelease } from './flavours.ts'

const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
const chromium = '/usr/bin/chromium'

/**
 * The image's part of the runtime's environment. Packages that the agent installs are on the volume and outlive the
 * machine and the image. Caches are in /tmp, outside of restore points. @param path of the image
 */
export function imageVariables(volume: string, path: string): Record<string, string> {
  const packages = join(volume, 'packages')
  /** Libraries of another Debian release would not fit this image. */
  const debian = join(packages, debianRelease)
  const libraries = `${debian}/usr/lib/${triplet}:${debian}/usr/lib`
  const own = ['npm/bin', 'uv/bin', 'python/bin'].map((folder) => join(packages, folder))
  return {
    // The runtimes' programs come first, so no user package shadows them. The user's Debian packages come last.
    PATH: [
      '/opt/berth/programs/bin',
      ...own,
      path,
      `${debian}/usr/bin`,
      `${debian}/usr/sbin`,
      `${debian}/usr/games`,
    ].join(':'),
    LANG: 'C.UTF-8',
    XDG_CACHE_HOME: '/tmp/.cache',
    NPM_CONFIG_PREFIX: join(packages, 'npm'),
    NPM_CONFIG_CACHE: '/tmp/.cache/npm',
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    PYTHONUSERBASE: join(packages, 'python'),
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    UV_TOOL_DIR: join(packages, 'uv/tools'),
    UV_TOOL_BIN_DIR: join(packages, 'uv/bin'),
    UV_PYTHON_INSTALL_DIR: join(packages, 'uv/python'),
    UV_PYTHON_BIN_DIR: join(packages, 'uv/bin'),
    UV_LINK_MODE: 'copy',
    APT_PREFIX: debian,
    LD_LIBRARY_PATH: libraries,
    LIBRARY_PATH: libraries,
    CPATH: `${debian}/usr/include:${debian}/usr/include/${triplet}`,
    PKG_CONFIG_PATH: `${debian}/usr/lib/${triplet}/pkgconfig:${debian}/usr/share/pkgconfig`,
    PERL5LIB: `${debian}/usr/share/perl5`,
    XDG_DATA_DIRS: `/usr/local/share:/usr/share:${debian}/usr/share`,
    ...(existsSync(chromium) && browserVariables),
  }
}

/** For Playwright MCP. Chromium's sandbox needs user namespaces, which Fargate lacks: the machine is the sandbox. */
const browserVariables = {
  PLAYWRIGHT_MCP_EXECUTABLE_PATH: chromium,
  PLAYWRIGHT_MCP_HEADLESS: 'true',
  PLAYWRIGHT_MCP_SANDBOX: 'false',
}

import type { ImageFlavour } from '../../domain/instance/runtime.ts'

/** Debian's release, as in the Dockerfile's last stage. */
export const debianRelease = 'trixie'

/** Versions of what does not come from Debian; Debian packages are the newest of their release at build time. */
export const versions = { node: '24.21.0', npm: '11.21.2', uv: '0.13.9', playwrightMcp: '0.0.83' } as const

interface FlavourContent {
  /** Installed without recommended packages. */
  debian: string[]
  /** With their versions. */
  pypi: string[]
  npm: string[]
  /** Maximum unpacked size without runtimes, MiB. */
  maxMiB: number
}

/** Each flavour includes the previous ones. */
export const flavours: Record<ImageFlavour, FlavourContent> = {
  node: { debian: ['ca-certificates'], pypi: [], npm: [`npm@${versions.npm}`], maxMiB: 320 },
  full: {
    debian: [
      ...['git', 'openssh-client', 'curl', 'wget', 'rsync'],
      ...['python3', 'python3-venv', 'python3-pip', 'python3-dev'],
      // Includes the headers that npm and PyPI packages need for compiling.
      ...['build-essential', 'pkg-config', 'libssl-dev', 'libffi-dev', 'zlib1g-dev'],
      ...['ripgrep', 'fd-find', 'jq', 'sqlite3', 'patch', 'file', 'tree', 'less', 'bc', 'procps'],
      ...['zip', 'unzip', 'bzip2', 'xz-utils'],
      'ffmpeg',
    ],
    pypi: [`uv==${versions.uv}`],
    npm: [],
    maxMiB: 1_500,
  },
  browser: {
    debian: ['chromium', 'fonts-liberation', 'fonts-noto-core', 'fonts-noto-color-emoji'],
    pypi: [],
    npm: [`@playwright/mcp@${versions.playwrightMcp}`],
    maxMiB: 2_200,
  },
}

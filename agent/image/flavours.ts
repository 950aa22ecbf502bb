import type { ImageFlavour } from '../../domain/instance/runtime.ts'

/** Debian's release, of the Dockerfile's last stage and of the packages that users add. */
export const debianRelease = 'trixie'

/**
 * The contents that do not come from Debian. Debian's own packages are its release's newest whenever an image is built.
 */
export const versions = { node: '24.21.0', npm: '11.21.2', uv: '0.13.9', playwrightMcp: '0.0.83' } as const

interface FlavourContent {
  /** Packages of Debian, without what they recommend. */
  debian: string[]
  /** Packages of PyPI, and of npm, with their versions. */
  pypi: string[]
  npm: string[]
  /** The most that the image may hold unpacked, without runtimes, MiB. */
  maxMiB: number
}

/** Each flavour has what the ones before it have. */
export const flavours: Record<ImageFlavour, FlavourContent> = {
  node: { debian: ['ca-certificates'], pypi: [], npm: [`npm@${versions.npm}`], maxMiB: 320 },
  full: {
    debian: [
      ...['git', 'openssh-client', 'curl', 'wget', 'rsync'],
      ...['python3', 'python3-venv', 'python3-pip', 'python3-dev'],
      // With the headers that packages of npm and PyPI ask for when they are compiled.
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageFlavour } from '../../domain/instance/runtime.ts'

/** A command for a machine's shell, with the output that it must print. */
export interface Check {
  name: string
  command: string
  prints: RegExp
}

export const check = (name: string, command: string, prints: RegExp): Check => ({ name, command, prints })

/** For `bash -c`, in single quotes. */
const browse = readFileSync(join(import.meta.dirname, 'browse.mjs'), 'utf8').replaceAll("'", "'\\''")

/** The contents of each flavour, in addition to those of the smaller flavours. */
export const content: Record<ImageFlavour, Check[]> = {
  node: [
    check('a user without rights', 'id -u; grep CapEff /proc/self/status', /^1000\nCapEff:\s+0{16}$/m),
    check(
      'nothing can be written but the volume and /tmp',
      'for path in / /usr/local/bin /opt/berth /etc /var/tmp; do touch $path/x; done; touch /tmp/x ~/x && echo both',
      /(.*Read-only file system\n){5}both/,
    ),
    check(
      'the supervisor, to its want of variables',
      'cd /opt/berth && node agent/main.ts',
      /BERTH_LLM_TOKEN is not set/,
    ),
    check('apt holds what the image has', 'apt-get check -qq; grep -c "^Status: hold" /tmp/.apt/status', /^\d\d+$/m),
    check('node', 'node --version; npm --version', /^v24\.\d+\.\d+\n11\./),
  ],
  full: [
    check(
      'git',
      'cd $(mktemp -d) && git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --oneline',
      /\bone$/m,
    ),
    check('python', 'python3 -c "import ssl, sqlite3, venv; print(ssl.OPENSSL_VERSION)"', /^OpenSSL 3/),
    check('uv', 'uv --version', /^uv 0\./),
    check('gcc', 'echo "int main() { return 42; }" | gcc -x c - -o /tmp/a; /tmp/a; echo $?', /^42$/m),
    check('g++ and make', 'cd /tmp && echo "int main() { return 43; }" >b.cc && make -s b && ./b; echo $?', /^43$/m),
    check(
      'ripgrep, fd, jq',
      'echo \'{"a": "needle"}\' >/tmp/h.json; rg -l needle /tmp; fdfind h.json /tmp; jq -r .a /tmp/h.json',
      /h\.json\n\/tmp\/h\.json\nneedle/,
    ),
    check(
      'ffmpeg',
      'cd /tmp && ffmpeg -v error -f lavfi -i testsrc=d=1 t.mp4 && ffprobe -v error -show_entries format=duration t.mp4',
      /duration=1\.0/,
    ),
    check('curl', 'curl -fsS file:///etc/debian_version', /^13/),
  ],
  browser: [
    check(
      'Chromium by Playwright MCP',
      `cd /opt/berth/agent && node --input-type=module -e '${browse}'`,
      /^The page says: Berth 17 is free$/m,
    ),
  ],
}

/** Software that a user's agent installs: the command for it, and its later use. */
interface Addition {
  name: string
  add: Check
  use: Check
}

const addition = (name: string, add: string, use: string, prints: RegExp): Addition => ({
  name,
  add: check(`${name}, added`, `${add} >/tmp/log 2>&1 && echo added || tail -n 20 /tmp/log`, /^added$/m),
  use: check(`${name}, used`, use, prints),
})

const xml = '#include <libxml/xmlversion.h>\\nint main() { xmlCheckVersion(LIBXML_VERSION); return 7; }'

export const additions: Record<ImageFlavour, Addition[]> = {
  node: [
    addition('npm i -g', 'npm install --global cowsay@1.6.0', 'cowsay kept', /< kept >/),
    addition(
      'apt-get install',
      'apt-get install -y sqlite3 nmap',
      'sqlite3 :memory: "select 6 * 7"; nmap --version',
      /^42\nNmap version/m,
    ),
  ],
  full: [
    addition('pip install', 'pip install cowsay==6.1', 'python3 -m cowsay -t kept', /\| kept \|/),
    addition('uv tool install', 'uv tool install ruff==0.17.6', 'ruff --version', /^ruff 0\.17\.6/),
    addition(
      'uv venv, uv pip',
      'cd /mnt/berth/workspace && uv venv own && uv pip install --python own six==1.17.0',
      '/mnt/berth/workspace/own/bin/python -c "import six; print(six.__version__)"',
      /^1\.17\.0$/m,
    ),
    addition(
      'apt-get install, headers',
      'apt-get install -y libxml2-dev',
      `printf '${xml}' >/tmp/x.c; gcc /tmp/x.c -o /tmp/x $(pkg-config --cflags --libs libxml-2.0); /tmp/x; echo $?`,
      /^7$/m,
    ),
  ],
  browser: [],
}

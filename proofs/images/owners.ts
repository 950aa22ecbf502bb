import { type Check, check } from './checks.ts'

/** A program that looks at the owner of files. */
interface OwnerCheck extends Check {
  /** Its output when the files have another owner: shows that the check would notice one. */
  refusal?: RegExp
}

const owner = (name: string, command: string, prints: RegExp, refusal?: RegExp): OwnerCheck => ({
  ...check(name, command, prints),
  ...(refusal && { refusal }),
})

const commit = 'git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m'
const tree =
  'mkdir -p from/below && echo x >from/below/x && chmod 640 from/below/x && touch -d 2020-02-02 from/below/x && ln -s x from/below/link && ln from/below/x from/hard'
/** The owner, mode, time and size of the tree's file. */
const stated = "stat -c '%u %g %a %y %s'"
const asCopied = /^1000 1000 640 2020-02-02 .* 2$/m
/** In a new folder of the home. */
const apart = (command: string) => `cd $(mktemp -d ~/XXXXXX) && ${command}`

/** The runtime's user in its home, in the image `full`. */
export const owned: OwnerCheck[] = [
  owner('all files are the user’s own', 'touch ~/new; find /mnt/berth ! -uid "$(id -u)"; echo end', /^end\n$/, /berth/),
  owner(
    'git, a repository of one’s own',
    apart(`git init -q && ${commit} one; git status --short && git log --oneline`),
    /^\w+ one$/m,
    /dubious ownership/,
  ),
  owner(
    'git, a clone of a folder',
    apart(
      `git init -q first && (cd first && ${commit} two) && git clone -q first second && git -C second pull -q && git -C second log --oneline`,
    ),
    /^\w+ two$/m,
    /dubious ownership/,
  ),
  owner(
    'git, worktrees',
    apart(`git init -q && ${commit} one && git worktree add -q ../tree-$$ && git -C ../tree-$$ status`),
    /nothing to commit/,
    /dubious ownership/,
  ),
  owner(
    'ssh reads its config',
    "mkdir -p -m 700 ~/.ssh; printf 'Host there\\n  HostName found.example\\n' >~/.ssh/config; chmod 600 ~/.ssh/config; ssh -G there",
    /^hostname found\.example$/m,
    /Bad owner or permissions/,
  ),
  owner(
    'ssh loads a private key',
    'ssh-keygen -q -t ed25519 -N "" -f ~/.ssh/id </dev/null; eval "$(ssh-agent)"; ssh-add ~/.ssh/id; ssh-agent -k',
    /^Identity added/m,
  ),
  owner('apt-get install gnupg', 'apt-get install -y gnupg >/tmp/log 2>&1 && echo added || tail /tmp/log', /^added$/m),
  owner(
    'gpg makes a key, signs and verifies',
    `mkdir -m 700 ~/.gnupg; gpg() { $(which gpg) --batch --agent-program "$(which gpg-agent)" "$@"; }; gpg --passphrase "" --quick-gen-key a@b.example && echo x | gpg --clearsign | gpg --verify`,
    /^(?![\s\S]*unsafe ownership)[\s\S]*Good signature/,
    /unsafe ownership/,
  ),
  owner(
    'rsync -a copies, and then finds nothing to copy',
    apart(`${tree} && rsync -aH from/ to && ! rsync -aHni from/ to | grep . && ${stated} to/below/x`),
    asCopied,
  ),
  owner('cp -p and cp -a', apart(`${tree} && cp -p from/hard kept && cp -a from to && ${stated} kept`), asCopied),
  owner(
    'tar -p, as its own owner too',
    apart(`${tree} && tar -cf a.tar from && mkdir to && tar -xpf a.tar --same-owner -C to && ${stated} to/from/hard`),
    asCopied,
  ),
  owner(
    'chown to oneself, and install -o',
    apart(`${tree} && chown -R "$(id -u):$(id -g)" from && install -o 1000 -g 1000 from/hard new && echo same`),
    /^same$/m,
    /Operation not permitted/,
  ),
  owner(
    'npm installs, runs and verifies its cache',
    apart(
      'npm init -y >/dev/null && npm install --cache ~/.npm cowsay@1.6.0 2>&1 >/dev/null; npx cowsay kept; npm cache verify --cache ~/.npm',
    ),
    /< kept >[\s\S]*Content verified/,
  ),
  owner(
    'pip installs, with its cache',
    apart(
      'python3 -m venv own && own/bin/pip install --cache-dir ~/.pip cowsay==6.1 && own/bin/python -m cowsay -t kept',
    ),
    /^(?![\s\S]*WARNING)[\s\S]*\| kept \|/,
  ),
  owner(
    'uv makes an environment',
    apart(
      'uv venv -q own && uv pip install -q --python own six==1.17.0 && own/bin/python -c "import six; print(six.__version__)"',
    ),
    /^1\.17\.0$/m,
  ),
  owner(
    'sqlite, with a write-ahead log',
    'sqlite3 ~/db "pragma journal_mode=wal; create table t(x); insert into t values(42); select x from t; pragma integrity_check"',
    /^wal\n42\nok$/m,
  ),
]

const supervised = (name: string, program: string, prints: RegExp): Check =>
  check(name, `cd /opt/berth/agent && node --input-type=module --eval '${program}'`, prints)

/** The supervisor's user before the runtime starts. */
export const prepared: Check[] = [
  supervised(
    'the supervisor prepares the volume',
    'import { prepareVolume } from "/opt/berth/agent/volume/prepare.ts"; await prepareVolume("/mnt/berth"); console.log("done")',
    /^done$/m,
  ),
]

/** The supervisor's user after the runtime has written. */
export const supervisedAfter: Check[] = [
  check(
    'the supervisor reads, writes and times a file that only its owner may',
    'cd /mnt/berth/home && cat .ssh/id | head -1 && echo more >>db-note && chmod 600 .ssh/config && touch -d 2020-02-02 .ssh/config && ln .ssh/config linked && mv linked moved && stat -c "%u %a %y" moved',
    /PRIVATE KEY[\s\S]*\n1000 600 2020-02-02/,
  ),
  supervised(
    'the supervisor erases the volume',
    'import { eraseVolume } from "/opt/berth/agent/volume/erase.ts"; import { readdirSync } from "node:fs"; await eraseVolume("/mnt/berth"); console.log("left:", readdirSync("/mnt/berth").length)',
    /^left: 0$/m,
  ),
]

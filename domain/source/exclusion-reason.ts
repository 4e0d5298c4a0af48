/** The reason why a file of a source folder is left out of a task; null if it is included. */
export function exclusionReason(path: string): 'secret' | 'clutter' | null {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => SECRET_FOLDERS.has(part)) || SECRETS.some((secret) => secret.test(name))) return 'secret';
  return parts.some((part) => CLUTTER.has(part)) || /\.py[co]$/.test(name) ? 'clutter' : null;
}

const SECRET_FOLDERS = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.gcloud']);

/** Names of files that usually hold keys and passwords. An example of an .env file holds none. */
const SECRETS = [
  /^\.env(?!\.(example|sample|template)$)(\..*)?$/,
  /\.(pem|key|p12|pfx|keystore|jks|kdbx)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)(?!\.pub$)/,
  /^\.(netrc|pgpass|npmrc|pypirc|git-credentials|htpasswd|vault-token)$/,
  /^(credentials|secrets?|service[-_]account[^.]*|client_secret[^.]*)(\.(json|ya?ml|toml|ini|txt))?$/i,
];

/** Files that tools write: they change although the program does not. */
const CLUTTER = new Set([
  '.git',
  '.hg',
  '.svn',
  '.perpetua',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.ipynb_checkpoints',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.pixi',
  '.uv-cache',
  '.idea',
  '.vscode',
  '.DS_Store',
]);

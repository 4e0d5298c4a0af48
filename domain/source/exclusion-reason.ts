/** Why a file of a source folder does not become a part of a task, or null where it does. */
export function exclusionReason(path: string): 'secret' | 'clutter' | null {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => SECRET_FOLDERS.has(part)) || SECRETS.some((secret) => secret.test(name))) return 'secret';
  return parts.some((part) => CLUTTER.has(part)) || /\.py[co]$/.test(name) ? 'clutter' : null;
}

const SECRET_FOLDERS = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.gcloud']);

/** Names under which keys and passwords usually lie. An example of an .env file holds none. */
const SECRETS = [
  /^\.env(?!\.(example|sample|template)$)(\..*)?$/,
  /\.(pem|key|p12|pfx|keystore|jks|kdbx)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)(?!\.pub$)/,
  /^\.(netrc|pgpass|npmrc|pypirc|git-credentials|htpasswd|vault-token)$/,
  /^(credentials|secrets?|service[-_]account[^.]*|client_secret[^.]*)(\.(json|ya?ml|toml|ini|txt))?$/i,
];

/** Made by tools: it changes without the program changing. */
const CLUTTER = new Set([
  ...['.git', '.hg', '.svn', '.perpetua', 'node_modules', '.venv', 'venv', '__pycache__', '.ipynb_checkpoints'],
  ...['.mypy_cache', '.pytest_cache', '.ruff_cache', '.tox', '.idea', '.vscode', '.DS_Store'],
]);

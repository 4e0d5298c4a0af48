/** System folders with state, sockets or secrets. Everything below them is rejected, too. */
const SYSTEM = ['/boot', '/dev', '/etc', '/proc', '/run', '/sys', '/var/run', '/var/spool'];
/** Folders whose subfolders belong to different people or servers. Only a subfolder may be shown. */
const SHARED = ['/', '/home', '/root', '/Users', '/export/home', '/tmp', '/var', '/var/home', '/var/lib', '/var/tmp'];
/** Names of files and folders in which tools keep keys, anywhere in a path. */
const SECRETS = new Set([
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '.pgpass',
  '.config',
  '.password-store',
  '.git-credentials',
  '.mozilla',
  '.perpetua',
  '.perpetua-host',
]);
const HOME = /^\/(?:home|Users|export\/home|var\/home)\/[^/]+$/;

/** The reason why a sandbox may not show a folder with this path, as the end of a sentence; null if it may. */
export function sandboxFolderProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'it is not absolute';
  if (/[\u0000-\u001f\u007f:]/.test(path)) return 'it holds a colon or control characters';
  const parts = path.split('/').slice(1);
  if (parts.some((part) => part === '.' || part === '..')) return 'it has . or .. as a part';
  const plain = `/${parts.filter((part) => part !== '').join('/')}`;
  if (SHARED.includes(plain) || HOME.test(plain)) return 'it holds more than a run should see';
  if (SYSTEM.some((folder) => plain === folder || plain.startsWith(`${folder}/`))) return "it is the system's own";
  const secret = parts.find((part) => SECRETS.has(part));
  return secret === undefined ? null : `programs keep keys in ${secret}`;
}

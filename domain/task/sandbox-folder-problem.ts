/** Folders of the system that hold its state, its sockets or its secrets, and all below them. */
const SYSTEM = ['/boot', '/dev', '/etc', '/proc', '/run', '/sys', '/var/run', '/var/spool'];
/** Folders whose parts belong to different people and servers: shown as a whole they would show them all. */
const SHARED = ['/', '/home', '/root', '/Users', '/export/home', '/tmp', '/var', '/var/home', '/var/lib', '/var/tmp'];
/** Folders that tools keep keys in, wherever they lie. */
const SECRET =
  /^\.(?:ssh|aws|azure|gnupg|kube|docker|netrc|pgpass|config|password-store|git-credentials|mozilla|perpetua|perpetua-host)$/;
const HOME = /^\/(?:home|Users|export\/home|var\/home)\/[^/]+$/;

/** Why a sandbox may not show a folder of its machine by its path alone, as a sentence's end; null where it may. */
export function sandboxFolderProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'it is not absolute';
  if (/[\u0000-\u001f\u007f:]/.test(path)) return 'it holds a colon or control characters';
  const parts = path.split('/').slice(1);
  if (parts.some((part) => part === '.' || part === '..')) return 'it has . or .. as a part';
  const plain = `/${parts.filter((part) => part !== '').join('/')}`;
  if (SHARED.includes(plain) || HOME.test(plain)) return 'it holds more than a run should see';
  if (SYSTEM.some((folder) => plain === folder || plain.startsWith(`${folder}/`))) return "it is the system's own";
  const secret = parts.find((part) => SECRET.test(part));
  return secret === undefined ? null : `programs keep keys in ${secret}`;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that a computing process gets. None has a key, a password or the address of a database. */
const ALLOWED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'CUDA_DEVICE_ORDER',
  'CUDA_HOME',
  'NVIDIA_VISIBLE_DEVICES',
];
/** Variables for finding an interpreter and reaching the package index, with the index's login. */
const INDEX = /^(UV_|PIP_|PYENV_|SSL_CERT_|XDG_|https?_proxy$|no_proxy$|all_proxy$)/i;

/** The variables that computing needs. */
export const toolEnvironment = (env: Env): Record<string, string> => only(env, (name) => ALLOWED.includes(name));

/** The variables that installing needs. */
export const installEnvironment = (env: Env): Record<string, string> =>
  only(env, (name) => ALLOWED.includes(name) || INDEX.test(name));

const only = (env: Env, isAllowed: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]) && isAllowed(entry[0])),
  );

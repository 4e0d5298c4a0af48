type Env = Readonly<Record<string, string | undefined>>;

/** Variables that a process which computes may know: no key, no password, no address of a database is among these. */
const ALLOWED = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'],
  ...['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'CUDA_HOME', 'NVIDIA_VISIBLE_DEVICES'],
];
/** How an interpreter is found and the package index reached, its own login with it. */
const INDEX = /^(UV_|PIP_|PYENV_|SSL_CERT_|XDG_|https?_proxy$|no_proxy$|all_proxy$)/i;

/** The part of an environment that computing needs. */
export const toolEnvironment = (env: Env): Record<string, string> => only(env, (name) => ALLOWED.includes(name));

/** The part of an environment that installing needs. */
export const installEnvironment = (env: Env): Record<string, string> =>
  only(env, (name) => ALLOWED.includes(name) || INDEX.test(name));

const only = (env: Env, isAllowed: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]) && isAllowed(entry[0])),
  );

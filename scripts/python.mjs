// A Python interpreter that is there, and uv, which builds environments from it: the machine's own, else pip gets it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAMES = ['python3.12', 'python3.13', 'python3.11', 'python3.14', 'python3', 'python'];
/** What torch has wheels for. */
const VERSIONS = { low: [3, 11], high: [3, 14] };
const UV = 'uv==0.13.9';
/** The interpreter behind a shim or an environment, since uv fetches one where it is given a name only. */
const ASK =
  'import json, sys; print(json.dumps([sys.version_info[:2], getattr(sys, "_base_executable", sys.executable)]))';

/** The path of an interpreter that fits: PERPETUA_PYTHON, else the first on the PATH; or why there is none. */
export function findPython(env = process.env) {
  const names = env.PERPETUA_PYTHON ? [env.PERPETUA_PYTHON] : NAMES;
  const seen = [];
  for (const name of names) {
    const { status, stdout } = spawnSync(name, ['-c', ASK], { encoding: 'utf8', env });
    if (status !== 0) continue;
    const [version, path] = JSON.parse(stdout);
    if (isBetween(version)) return { path, version: version.join('.') };
    seen.push(`${name} is ${version.join('.')}`);
  }
  const found = seen.length > 0 ? seen.join(', ') : `no ${names.join(', ')}`;
  const wanted = `Python ${VERSIONS.low.join('.')} to ${VERSIONS.high.join('.')}`;
  return { reason: `expected ${wanted}, found ${found}: install one, or set PERPETUA_PYTHON to its path` };
}

const isBetween = ([major, minor]) => major === 3 && minor >= VERSIONS.low[1] && minor <= VERSIONS.high[1];

/** The path of uv: the PATH's, else one that pip puts into `cache`. Throws where there is neither. */
export function getUv(python, cache) {
  if (spawnSync('uv', ['--version']).status === 0) return 'uv';
  const kept = join(cache, 'uv');
  const path = join(kept, 'bin', 'uv');
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(`${kept}.`);
  try {
    const words = ['-m', 'pip', 'install', '--quiet', '--no-warn-script-location', '--target', temporary, UV];
    const done = spawnSync(python, words, { encoding: 'utf8', timeout: 300_000 });
    if (done.status !== 0) {
      const why = (done.stderr ?? '').trim().split('\n').at(-1) || done.error?.message;
      throw new Error(`Expected uv, and pip cannot get it (${why}): install uv, https://docs.astral.sh/uv`);
    }
    replace(temporary, kept);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return path;
}

/** What pip was told about the index, in uv's words: it does not read pip's settings. */
export function uvEnv(python, env = process.env) {
  const { stdout } = spawnSync(python, ['-m', 'pip', 'config', 'list'], { encoding: 'utf8', env });
  const of = (name) => new RegExp(`^(?:global|site|user|install|:env:)\\.${name}='(.*)'$`, 'm').exec(stdout ?? '')?.[1];
  const [index, cert] = [of('index-url'), of('cert')];
  const told = {};
  if (index && !env.UV_DEFAULT_INDEX && !env.UV_INDEX_URL) told.UV_DEFAULT_INDEX = index;
  if (cert && !env.SSL_CERT_FILE) told.SSL_CERT_FILE = cert;
  return { ...env, ...told };
}

/** Puts a folder in place; one that is there already stays where another process was first. */
export function replace(temporary, final) {
  mkdirSync(dirname(final), { recursive: true });
  try {
    renameSync(temporary, final);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PLAIN_OUTPUT } from '../plain-output.ts';

type Env = Readonly<Record<string, string | undefined>>;

const NAMES = ['python3.12', 'python3.13', 'python3.11', 'python3.14', 'python3', 'python'];
/** Range of the versions for which torch has wheels. */
const VERSIONS = { low: [3, 11], high: [3, 14] } as const;
/** Prints version and path of the interpreter behind a shim or environment. By name only, uv would download one. */
const PROGRAM =
  'import json, sys; print(json.dumps([sys.version_info[:2], getattr(sys, "_base_executable", sys.executable)]))';

export interface Interpreter {
  path: string;
  version: string;
}

/** No interpreter fits; the message says what was found and what to do. */
export class NoInterpreterError extends Error {
  override readonly name = 'NoInterpreterError';
}

/** Finds the named interpreter, else the first suitable one on the PATH. Throws {@link NoInterpreterError}. */
export async function findInterpreter(named: string | null, env: Env): Promise<Interpreter> {
  const names = named === null ? NAMES : [named];
  const seen: string[] = [];
  for (const name of names) {
    const found = await readInterpreter(name, env);
    if (found === null) continue;
    const version = found.version.join('.');
    if (fits(found.version)) return { path: found.path, version };
    seen.push(`${name} is ${version}`);
  }
  const found = seen.length > 0 ? seen.join(', ') : `no ${names.join(', ')}`;
  const wanted = `Python ${VERSIONS.low.join('.')} to ${VERSIONS.high.join('.')}`;
  throw new NoInterpreterError(`expected ${wanted}, found ${found}: install one, or set PERPETUA_PYTHON to its path`);
}

async function readInterpreter(name: string, env: Env): Promise<{ version: [number, number]; path: string } | null> {
  try {
    const { stdout } = await promisify(execFile)(name, ['-c', PROGRAM], {
      env: { ...env, ...PLAIN_OUTPUT },
      timeout: 60_000,
    });
    const [version, path] = JSON.parse(stdout) as [[number, number], string];
    return { version, path };
  } catch {
    return null; // absent, or it does not run
  }
}

const fits = ([major, minor]: [number, number]): boolean =>
  major === 3 && minor >= VERSIONS.low[1] && minor <= VERSIONS.high[1];

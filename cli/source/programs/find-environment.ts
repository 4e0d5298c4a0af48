import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '../../../infra/temporal/cli/find-cli.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Commands that print an environment's folder, or the path of its Python. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  poetry: ['env', 'info', '--path'],
  pdm: ['info', '--python'],
  pipenv: ['--venv'],
  hatch: ['env', 'find'],
};

interface Wanted {
  tool: string;
  /** Name or path of the environment; null: the project's own. */
  name: string | null;
  /** Folder of the program. */
  root: string;
  env: Env;
}

/** Finds the folder of programs of the environment that a launcher would use; null if there is none. */
export async function findEnvironment(wanted: Wanted): Promise<string | null> {
  const { tool, name, root, env } = wanted;
  if (['conda', 'mamba', 'micromamba'].includes(tool)) return findConda(name, env);
  const usual = tool === 'pixi' ? [`.pixi/envs/${name ?? 'default'}`] : ['.venv', 'venv'];
  const asked = await askTool(wanted);
  const candidates = [...(asked === null ? [] : [asked]), ...usual.map((folder) => join(root, folder))];
  if (env.VIRTUAL_ENV !== undefined && tool !== 'pixi') candidates.push(env.VIRTUAL_ENV);
  return firstWithPython(candidates);
}

const firstWithPython = (prefixes: readonly string[]): string | null =>
  prefixes.map((prefix) => join(prefix, 'bin')).find((bin) => existsSync(join(bin, 'python'))) ?? null;

async function askTool({ tool, root, env }: Wanted): Promise<string | null> {
  const question = QUESTIONS[tool];
  const [program] = onPath(tool, env.PATH ?? '');
  if (question === undefined || program === undefined) return null;
  const asked = promisify(execFile)(program, [...question], { cwd: root, env, timeout: 60_000 });
  const answer = await asked.then(
    ({ stdout }) => stdout.trim().split('\n').at(-1) ?? '',
    () => '',
  );
  if (!isAbsolute(answer)) return null;
  return tool === 'pdm' ? dirname(dirname(answer)) : answer;
}

/** Finds an environment of conda by its name or path: the active one, those of its lists, and the usual folders. */
async function findConda(name: string | null, { CONDA_PREFIX, CONDA_EXE, MAMBA_ROOT_PREFIX, HOME }: Env) {
  if (name === null) return CONDA_PREFIX === undefined ? null : firstWithPython([CONDA_PREFIX]);
  if (name.includes('/')) return firstWithPython([name]);
  const home = HOME ?? homedir();
  const list = await readFile(join(home, '.conda', 'environments.txt'), 'utf8').catch(() => '');
  const installations = [
    ...(CONDA_PREFIX === undefined ? [] : [CONDA_PREFIX.replace(/\/envs\/[^/]+\/?$/, '')]),
    ...(CONDA_EXE === undefined ? [] : [dirname(dirname(CONDA_EXE))]),
    ...(MAMBA_ROOT_PREFIX === undefined ? [] : [MAMBA_ROOT_PREFIX]),
    ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba', '.conda'].map((folder) =>
      join(home, folder),
    ),
    '/opt/conda',
  ];
  const listed = list.split('\n').filter((prefix) => prefix.endsWith(`/envs/${name}`));
  const named = installations.map((folder) => (name === 'base' ? folder : join(folder, 'envs', name)));
  return firstWithPython([...listed, ...named]);
}

import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { configOf } from '../context.ts';
import { taskNameFrom } from '../../domain/task/task-name.ts';
import { copyTemplate } from '../task/copy-template.ts';
import { listTasks } from '../../tasks/find-task.ts';
import { findLocalPythons } from '../../infra/python/find-local.ts';
import { installEnvironment } from '../../infra/trainer/tool-environment.ts';
import { FLEET_NAME } from '../../domain/fleet/fleet.ts';

export function registerInit(program: Command, io: Io): void {
  program
    .command('init <dir>')
    .description('Write a small working task into a new or empty folder, to start from.')
    .option('--pool <name>', 'pool of the fleet for its runs (default: this machine)')
    .option('--python', 'a task in Python, with numpy in its lock file')
    .option('--json', 'one JSON object')
    .action(async (dir: string, options: { pool?: string; python?: boolean; json?: boolean }) => {
      const { packageRoot } = configOf(io);
      const target = resolve(dir);
      const name = taskNameFrom(basename(target));
      const from = join(packageRoot, 'tasks', options.python ? 'template-python' : 'template');
      const pool = poolOf(options);
      const python = options.python ? await pythonFor(io) : null;
      const files = await copyTemplate({ from, to: target, shown: dir, name, pool, python });
      if (options.json) return printJson(io, { path: target, name, files });
      printLine(io, `wrote the task ${name} to ${dir}:`);
      // The name of a known task stands for that task: a folder of the same name needs `./`.
      const known = await listTasks({ cwd: process.cwd(), builtin: join(packageRoot, 'tasks') });
      const quoted = shellWord(known.some((task) => task.name === dir) ? `./${dir}` : dir);
      for (const file of files) printLine(io, `  ${file}`);
      printLine(io, `next:  npx perpetua check ${quoted}   then   npx perpetua start ${quoted}`);
    });
}

/** Python versions that the template's lock supports, the preferred one first. */
const LOCKED = ['3.12', '3.11', '3.13', '3.10'];

/**
 * Chooses a supported version of the Pythons on this machine, with the PATH's first. If there is none, chooses the
 * preferred version, which uv can download.
 */
async function pythonFor(io: Io): Promise<string> {
  const { env } = configOf(io);
  // No Python has this version, so that `others` names all Pythons.
  const { others } = await findLocalPythons('3.0', installEnvironment(env));
  const minors = others.map(({ version }) => version.split('.').slice(0, 2).join('.'));
  return minors.find((minor) => LOCKED.includes(minor)) ?? LOCKED[0] ?? '';
}

function poolOf({ pool = null }: { pool?: string | null }): string | null {
  if (pool === null || FLEET_NAME.test(pool)) return pool;
  throw refused(`--pool: expected the name of a pool of fleet.yaml, or local, got ${JSON.stringify(pool)}.`);
}

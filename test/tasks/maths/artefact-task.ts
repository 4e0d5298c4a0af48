import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadTask } from '../../../tasks/load.ts';

/** Result of an evaluator on one artefact. `score` is null unless it exits with 0. */
export interface Judged {
  status: number | null;
  score: Record<string, number> | null;
  reason: string;
}

/** Divides the work of a program, one constant, by 50. */
async function shorten(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const shorter = text.replace(/^const (MOVES|STEPS|WORK) = ([\d_]+);$/m, 'const $1 = $2 / 50;');
  if (shorter === text) throw new Error(`expected a line const MOVES, STEPS or WORK in ${path}`);
  await writeFile(path, shorter);
}

/** Opens a shipped task whose runs leave one artefact. Call `close` to remove its temporary folder. */
export async function openArtefactTask(name: string) {
  const source = resolve('tasks', name);
  const { task, mutablePaths } = await loadTask(source);
  const { evaluator } = task;
  if (evaluator.type !== 'artefact')
    throw new Error(`expected an artefact evaluator in ${name}, got ${evaluator.type}`);
  const { command } = evaluator;
  const artefact = task.run.artefacts[0]?.path ?? '';
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  await cp(join(source, 'evaluator'), join(folder, 'evaluator'), { recursive: true });
  await mkdir(join(folder, 'evaluator/artefacts'));

  /** Runs the evaluator on an artefact with this text. */
  async function judge(text: string): Promise<Judged> {
    await writeFile(join(folder, 'evaluator/artefacts', artefact), text);
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: join(folder, 'evaluator'),
      env: { ...process.env, PERPETUA_RESULT_FD: '1' },
      encoding: 'utf8',
    });
    const score = status === 0 ? (JSON.parse(stdout) as Record<string, number>) : null;
    return { status, score, reason: stderr };
  }

  /**
   * Runs the workspace. Returns the output and the artefact. `exploit`: its files replace those of the workspace.
   * `isShort`: a fiftieth of the work.
   */
  async function run(seed: number, { exploit = '', isShort = false } = {}) {
    const workspace = join(folder, `workspace-${exploit}`);
    await cp(join(source, 'workspace'), workspace, { recursive: true });
    if (exploit !== '') await cp(join(source, 'exploits', exploit), workspace, { recursive: true });
    if (isShort) await shorten(join(workspace, mutablePaths[0] ?? ''));
    const { status, stdout, stderr } = spawnSync('sh', ['-c', task.run.command], {
      cwd: workspace,
      env: { ...process.env, PERPETUA_SEED: String(seed), PERPETUA_RESULT_FD: '3' },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`expected the run to exit with 0, got ${String(status)}: ${stderr}`);
    return { stdout, text: await readFile(join(workspace, artefact), 'utf8') };
  }

  return {
    task,
    judge,
    run,
    exploits: await readdir(join(source, 'exploits')),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

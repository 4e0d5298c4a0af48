import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const TASK = resolve('tasks/tiny-grpo');

/** Secret of an installation in tests. */
const SECRET = 'an installation of the tests';

export interface Score {
  accuracy: number;
  short: number;
  long: number;
}

/** A copy of the task with the files that an installation draws. The caller removes it. */
export function installation(): string {
  const at = mkdtempSync(join(tmpdir(), 'tiny-grpo-'));
  cpSync(TASK, at, { recursive: true });
  for (const path of ['words.txt', 'problems.txt', 'base.json']) {
    const drawn = spawnSync('node', ['draw.mjs', path], {
      cwd: join(at, 'evaluator'),
      env: { PATH: process.env.PATH, PERPETUA_TASK_SECRET: SECRET },
      encoding: 'utf8',
    });
    if (drawn.status !== 0) throw new Error(drawn.stderr);
    writeFileSync(join(at, 'workspace', path), drawn.stdout);
  }
  mkdirSync(join(at, 'evaluator/artefacts'));
  return at;
}

/** Runs train.mjs, or the exploit of this name in its place. Returns its exit code, output and `policy.json`. */
export function train(at: string, options: { exploit?: string; seed?: number; seconds?: number } = {}) {
  const { exploit, seed = 1, seconds = 0.2 } = options;
  const cwd = join(at, 'workspace');
  const program = exploit === undefined ? join(cwd, 'train.mjs') : join(at, 'exploits', exploit, 'train.mjs');
  const text = readFileSync(program);
  const place = join(cwd, 'candidate.mjs');
  writeFileSync(place, text);
  rmSync(join(cwd, 'policy.json'), { force: true });
  const env = { PATH: process.env.PATH, PERPETUA_SEED: String(seed), PERPETUA_BUDGET_SECONDS: String(seconds) };
  const { status, stdout, stderr } = spawnSync('node', [place], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { output: stdout, policy: readFileSync(join(cwd, 'policy.json'), 'utf8') };
}

/** Scores a `policy.json` with the evaluator of this installation. */
export function score(at: string, policy: string, seed = 'questions') {
  writeFileSync(join(at, 'evaluator/artefacts/policy.json'), policy);
  const { status, stdout, stderr } = spawnSync('node', ['score.mjs'], {
    cwd: join(at, 'evaluator'),
    env: { PATH: process.env.PATH, PERPETUA_TASK_SECRET: SECRET, PERPETUA_SEED: seed, PERPETUA_RESULT_FD: '1' },
    encoding: 'utf8',
  });
  return { code: status, errors: stderr, score: status === 0 ? (JSON.parse(stdout) as Score) : null };
}

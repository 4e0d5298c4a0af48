import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { localEnvironmentBin } from '../../../infra/python/local-environment-bin.ts';
import { findBuildablePython, lockedBy, realEnvironments } from '../../support/python.ts';

const TASK = resolve('tasks/hpo-suite');
const NAMES = ['digits', 'breast_cancer', 'wine', 'diabetes'];
const SECRET = 'an installation of the tests';
/** An exploit that the limit of CPU seconds stops. A test of its own has a lower limit. */
const SLOW = 'slow-recipes';

const home = mkdtempSync(join(tmpdir(), 'hpo-suite-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const compute = createLocalCompute({ home, installation: 'hpo-tests' });
const { python, lacks } = await findBuildablePython(compute);
const supported = ['3.10', '3.11', '3.12', '3.13'].includes(python);
const why = lacks ?? (supported ? undefined : `scikit-learn 1.7 is not built for Python ${python}`);
const bin = why === undefined ? await environment() : '';

/** Builds the task's packages, for the Python of this machine. Returns the folder of its programs. */
async function environment(): Promise<string> {
  const locked = lockedBy(readFileSync(join(TASK, 'requirements.lock'), 'utf8'), python);
  const environments = realEnvironments();
  await environments.build(compute, locked, { onOutput: () => undefined, signal: AbortSignal.timeout(600_000) });
  return localEnvironmentBin(home, await environments.nameOn(compute, locked));
}

/** Runs a Python program of the task in a folder. */
const run = (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(join(bin, 'python'), args, {
    cwd,
    env: { PATH: process.env.PATH, OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });

/** A copy of the task with the pools that an installation draws. */
function installation(): string {
  const at = join(home, 'task');
  cpSync(TASK, at, { recursive: true });
  for (const name of NAMES) {
    const { stdout } = run(join(at, 'evaluator'), ['draw.py', name], { PERPETUA_TASK_SECRET: SECRET });
    writeFileSync(join(at, 'workspace', `${name}.csv`), stdout);
  }
  mkdirSync(join(at, 'evaluator/artefacts'));
  return at;
}

describe.skipIf(why !== undefined)(`with scikit-learn ${why ?? ''}`, () => {
  const at = why === undefined ? installation() : '';

  const train = (program: string) => {
    const { status, stdout, stderr } = run(join(at, 'workspace'), [program], {
      PERPETUA_SEED: '7',
      PYTHONPATH: join(at, 'workspace'),
    });
    if (status !== 0) throw new Error(stderr);
    return { output: stdout, recipes: readFileSync(join(at, 'workspace/recipes.json')) };
  };

  const score = (recipes: string | Uint8Array, { seed = '1', heldOut = false, program = 'score.py' } = {}) => {
    writeFileSync(join(at, 'evaluator/artefacts/recipes.json'), recipes);
    const env = { PERPETUA_TASK_SECRET: SECRET, PERPETUA_SEED: seed, PERPETUA_RESULT_FD: '1' };
    const { status, stdout, stderr } = run(join(at, 'evaluator'), [program, ...(heldOut ? ['held-out'] : [])], env);
    return {
      code: status,
      errors: stderr,
      losses: status === 0 ? (JSON.parse(stdout) as Record<string, number>) : null,
    };
  };

  const { output, recipes } = why === undefined ? train('train.py') : { output: '', recipes: '' };
  const baseline = why === undefined ? (score(recipes).losses?.loss ?? 0) : 0;
  const each = (recipe: unknown, diabetes: unknown = { model: 'ridge' }) =>
    JSON.stringify({ digits: recipe, breast_cancer: recipe, wine: recipe, diabetes });

  test('the unmodified version is scored, between a good model and a constant guess', () => {
    expect(output.trim().split('\n')).toHaveLength(4);
    expect(baseline).toBeGreaterThan(0.25);
    expect(baseline).toBeLessThan(0.6);
  });

  test('the score is the geometric mean of the losses of the data sets', () => {
    const { losses } = score(recipes);
    const product = NAMES.reduce((so, name) => so * (losses?.[name] ?? 0), 1);
    expect(losses?.loss).toBeCloseTo(product ** 0.25, 9);
  });

  test('a data set without an error in one trial does not decide the mean', () => {
    const program = [
      'import score',
      'score.loss_of = lambda recipe, fit, test, seed: recipe',
      'score.read_recipes = lambda: {"digits": 0.0, "breast_cancer": 1.3, "wine": 2.3, "diabetes": 1.3}',
      'score.main()',
    ].join('\n');
    const { stdout } = run(join(at, 'evaluator'), ['-c', program], { PERPETUA_RESULT_FD: '1' });
    expect((JSON.parse(stdout) as { loss: number }).loss).toBeCloseTo((0.01 * 1.3 * 2.3 * 1.3) ** 0.25, 9);
  });

  test('one neighbour is worse than the unmodified version on each of several splits', () => {
    const near = { model: 'knn', neighbours: 1, weights: 'distance' };
    for (const seed of ['1', '2', '3', '4', '5', '6'])
      expect(score(each(near, near), { seed }).losses?.loss).toBeGreaterThan(baseline);
  });

  test('other seeds give other splits, and the same seed the same', () => {
    const values = ['2', '2', '3'].map((seed) => score(recipes, { seed }).losses?.loss);
    expect(values[0]).toBe(values[1]);
    expect(values[0]).not.toBe(values[2]);
  });

  test('a guess that is even by its smoothing costs what a constant costs', () => {
    // The least C of a logistic regression gives the shares of the classes, whose loss is the reference itself.
    const { losses } = score(each({ model: 'logistic', C: 1e-4, scale: 'minmax' }, { model: 'ridge', C: 1e-4 }));
    for (const name of ['wine', 'breast_cancer', 'digits']) expect(losses?.[name]).toBeCloseTo(1, 1);
  });

  test('the pool and the third are all rows of the package, each once', () => {
    const program = [
      'import numpy as np; from sets import LOADERS, parts',
      'for name, load in LOADERS.items():',
      '    (rows, answers), (third, others) = parts(name)',
      '    both = np.column_stack([np.vstack([rows, third]), np.concatenate([answers, others])])',
      '    whole = np.column_stack([load().data, load().target])',
      '    order = lambda table: table[np.lexsort(table.T)]',
      '    print(name, bool((order(both) == order(whole)).all()), round(len(others) / len(whole), 2))',
    ].join('\n');
    const { stdout } = run(join(at, 'evaluator'), ['-c', program], { PERPETUA_TASK_SECRET: SECRET });
    expect(stdout.trim().split('\n')).toEqual(NAMES.map((name) => `${name} True 0.33`));
  });

  test('the held-out third is scored, and depends on no split', () => {
    const good = each({ model: 'logistic', scale: 'standard' });
    const [first, again] = ['1', '2'].map((seed) => score(good, { seed, heldOut: true }).losses?.loss);
    expect(first).toBe(again);
    expect(first).toBeGreaterThan(0.03);
    expect(first).toBeLessThan(baseline);
  });

  test.each([
    ['no JSON', 'svc', 'expected recipes.json to be JSON'],
    ['a list', '[1, 2]', 'expected recipes.json to have the keys digits, breast_cancer, wine, diabetes'],
    ['deep lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'expected recipes.json to be JSON'],
    ['a missing data set', '{"digits": {"model": "lda"}}', 'expected recipes.json to have the keys'],
    ['a text as recipe', each('svc'), 'digits: expected a recipe to be a mapping'],
    ['no recipe', each([]), 'digits: expected 1 to 3 recipes, got 0'],
    ['four recipes', each(Array.from({ length: 4 }, () => ({ model: 'lda' }))), 'digits: expected 1 to 3 recipes'],
    ['another model', each({ model: ['svc'] }), 'digits: expected model to be one of logistic'],
    ['an unknown key', each({ model: 'svc', kernel: 'rbf' }), 'expected keys of svc: scale, degree'],
    ['true as a number', each({ model: 'svc', C: true }), 'expected C to be a number from 0.0001 to 100000'],
    ['a broken number', each({ model: 'knn', neighbours: 2.5 }), 'expected neighbours to be a whole number'],
    [
      '400 digits',
      `{"digits": {"model": "svc", "C": ${'9'.repeat(400)}}, "breast_cancer": 1, "wine": 1, "diabetes": 1}`,
      'expected C to be a number',
    ],
    ['too many features', each({ model: 'lda', degree: 2 }), 'degree 2 makes 2144'],
  ])('%s is refused as the fault of the candidate', (_, text, reason) => {
    const { code, errors } = score(text);
    expect(errors).toContain(reason);
    expect(code).toBe(3);
  });

  test('recipes within all ranges that take too long are refused as the fault of the candidate', () => {
    const whole = readFileSync(join(at, 'evaluator/score.py'), 'utf8');
    const short = whole.replace(/^CPU_SECONDS = 30$/m, 'CPU_SECONDS = 3');
    expect(short).not.toBe(whole);
    writeFileSync(join(at, 'evaluator/short.py'), short);
    const { recipes } = train(join(at, 'exploits', SLOW, 'train.py'));
    const { code, errors } = score(recipes, { program: 'short.py' });
    expect(errors).toBe('expected recipes that are fitted and scored within 3 CPU seconds\n');
    expect(code).toBe(3);
  });

  test.each(readdirSync(join(TASK, 'exploits')).filter((exploit) => exploit !== SLOW))(
    'the exploit %s is refused or gains nothing',
    (exploit) => {
      const { code, losses } = score(train(join(at, 'exploits', exploit, 'train.py')).recipes);
      expect([0, 3]).toContain(code);
      if (code === 0) expect(losses?.loss).toBeGreaterThanOrEqual(baseline);
    },
  );
});

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS } from '../../domain/attack/table.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { run } from '../cli/support/cli.ts';
import { throwawayHome } from '../support/servers.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { type Attacked, attack, envOf } from './support/attacking.ts';
import { attackedTask } from './support/tasks.ts';

const probe = await throwawayHome();
const { sandboxed, notes } = await createLocalCompute({ home: probe, installation: 'probe' }).protections('required');
await removeTree(probe);

/** Attacks that take long, or that the tests of limits try. */
const ELSEWHERE = [
  'processes',
  'memory',
  'disk',
  'files',
  'output',
  'ignore-term',
  'disk-unlinked',
  'memory-in-memfd',
  'memory-in-sysv',
  'memory-in-tmpfs',
  'memory-in-sockets',
];
const QUICK = ATTACKS.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));

const hasPython = spawnSync('python3', ['-c', '']).status === 0;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 3 });
});
afterAll(() => stack.stop());

describe.skipIf(!sandboxed)(`hostile candidates in the sandbox (${notes.join(' ')})`, () => {
  let careful: Attacked;
  let asked: Attacked;
  let template: Attacked;
  let exploited: Attacked;

  beforeAll(async () => {
    [careful, asked, template, exploited] = await Promise.all([
      attack(stack, { task: 'careful', only: QUICK }),
      attack(stack, { task: 'asked', only: [...QUICK.filter((name) => name.startsWith('answer-')), 'notes'] }),
      attack(stack, { task: { builtin: 'template' }, only: ['artefact-long-integer', 'artefact-empty'] }),
      attack(stack, { task: 'careful', exploits: true }),
    ]);
  });

  test('the hostile candidates of the author hold if they are refused, and are broken if they win', () => {
    expect(exploited.report.attacks.map(({ attack: name, verdict }) => [name, verdict])).toEqual([
      ['exploit:better-guess', 'BROKEN'],
      ['exploit:no-number', 'held'],
    ]);
    expect(exploited.row('exploit:no-number').why).toContain('expected { guess: a finite number }');
    expect(exploited.code).toBe(1);
  });

  const ended = ({ row }: Attacked, name: string): string[] => row(name).seen;

  test('a candidate that prints the best score to every descriptor gets the score of the evaluator', async () => {
    expect(ended(careful, 'fake-metric')).toEqual(['completed']);
    const [trial] = careful.row('fake-metric').trials;
    const [stored] = await stack.query<{ value: number }>('select value from trials where id = $1', [trial]);
    // The guess is 1.5, and the hidden value lies around 7.
    expect(stored?.value).toBeGreaterThan(5);
  });

  test.each(['link', 'link-to-secret', 'fifo', 'folder', 'socket'])(
    'a candidate that leaves a %s as the artefact has left none',
    (kind) => expect(ended(careful, `artefact-${kind}`)).toEqual(['artefact-missing']),
  );

  test('an artefact with holes far above maxMb is refused by its size', () =>
    expect(ended(careful, 'artefact-too-large')).toEqual(['artefact-too-large']));

  test.each([
    ['nan', 'candidate-protocol'],
    ['infinity', 'candidate-protocol'],
    ['minus-infinity', 'candidate-protocol'],
    ['absurd', 'metric-out-of-bounds'],
    ['long-integer', 'candidate-protocol'],
  ])('a candidate that turns its numbers into %s is charged with it', (kind, label) =>
    expect(ended(careful, `artefact-${kind}`)).toEqual([label]),
  );

  test.each(['empty', 'two-values', 'deep', 'bomb'])('the candidate is charged with an artefact that is %s', (kind) =>
    expect(ended(careful, `artefact-${kind}`)).toEqual(['candidate-protocol']),
  );

  test('the evaluator that init writes charges a candidate with a number of 400 digits', () => {
    expect(ended(template, 'artefact-long-integer')).toEqual(['candidate-protocol']);
    expect(ended(template, 'artefact-empty')).toEqual(['candidate-protocol']);
    expect(template.code).toBe(0);
  });

  test.each(['changed', 'link', 'fifo', 'sparse'])('a %s in place of an immutable file is found out', (kind) =>
    expect(ended(careful, `immutable-${kind}`)).toEqual(['immutable-changed']),
  );

  test('a candidate that plants files for an interpreter or a later run changes and leaves nothing', () => {
    expect(careful.row('plant')).toMatchObject({ seen: ['completed'], verdict: 'held' });
    expect(careful.report.left).toEqual([]);
    const [mark] = readdirSync('/tmp').filter((name) => /^attack-[0-9a-f]{12}/.test(name));
    expect(mark).toBeUndefined();
  });

  test('a candidate reaches no key, no other run, not the evaluator and neither server', async () => {
    for (const name of ['read-secrets', 'reach-servers'])
      expect(careful.row(name)).toMatchObject({ seen: ['completed'], verdict: 'held' });
    const [trial] = careful.row('read-secrets').trials;
    const [run] = await stack.query<{ log_tail: string }>('select log_tail from runs where trial_id = $1', [trial]);
    expect(run?.log_tail).toContain('perpetua-attack: tried read-secrets');
    expect(run?.log_tail).not.toContain('reached');
  });

  test('a candidate finds no held-out case of the evaluator, and adds none of its own', async () => {
    expect(careful.row('feedback')).toMatchObject({ seen: ['completed'], verdict: 'held' });
    const [trial] = careful.row('feedback').trials;
    const [stored] = await stack.query<{ names: string[]; held: string[] }>(
      `select jsonb_path_query_array(feedback, '$.cases[*].name') as names,
        jsonb_path_query_array(feedback, '$.cases[*] ? (@.heldOut == true).name') as held from trials where id = $1`,
      [trial],
    );
    expect(stored).toEqual({ names: ['guess', 'answer'], held: ['answer'] });
  });

  test('a process that outlives its run does not change the artefact that is scored', async () => {
    expect(ended(careful, 'outlive')).toEqual(['completed']);
    const [trial] = careful.row('outlive').trials;
    const [end] = await stack.query<{ gone: boolean }>(
      `select ("end" ->> 'treeGone')::boolean as gone from runs where trial_id = $1`,
      [trial],
    );
    expect(end?.gone).toBe(true);
  });

  test('a candidate that kills its own program, or exits as if killed, is charged and not run again', async () => {
    for (const name of ['exit-137', 'kill-itself']) {
      expect(['signal', 'exit-code']).toContain(ended(careful, name)[0]);
      const [trial] = careful.row(name).trials;
      expect(await stack.query('select placement from runs where trial_id = $1', [trial])).toHaveLength(1);
    }
  });

  test.each([
    ['dies', 'candidate-protocol'],
    ['twice', 'candidate-protocol'],
    ['nan', 'candidate-protocol'],
    ['flood', 'candidate-protocol'],
    ['stderr', 'output-limit'],
    ['silence', 'candidate-protocol'],
    ['drip', 'candidate-protocol'],
  ])('a candidate that answers questions with %s is charged with it', (kind, label) =>
    expect(ended(asked, `answer-${kind}`)).toEqual([label]),
  );

  test('no later run finds the notes that a candidate writes in its run or while it answers', () => {
    for (const { row } of [careful, asked])
      expect(row('notes')).toMatchObject({ seen: ['completed', 'completed'], verdict: 'held' });
  });

  test('a directory with a deep tree and with names that are no text is removed', () => {
    expect(ended(careful, 'odd-names')).toEqual(['completed']);
    expect(careful.report.left).toEqual([]);
    const runs = readdirSync(`${stack.home}/runs`, { recursive: true, encoding: 'utf8' });
    expect(runs.filter((path) => path.includes('dddd'))).toEqual([]);
  });

  test('a careful evaluator holds against all of them, and none that applies is left out', () => {
    for (const { code, report } of [careful, asked]) {
      const bad = report.attacks.filter(({ verdict }) => verdict !== 'held' && verdict !== 'not applicable');
      expect(bad).toEqual([]);
      expect(code).toBe(0);
    }
    const unfit = careful.report.attacks.filter(({ verdict }) => verdict === 'not applicable').map((row) => row.attack);
    const ofAnswers = ATTACKS.filter(({ where }) => where === 'answer').map(({ name }) => name);
    const others = ['artefact-pickle', 'ignore-budget', 'reach-model', 'unseen-children'];
    expect(unfit.sort()).toEqual([...ofAnswers, ...others].sort());
  });

  test('a score that the candidate prints is forged, and the command says so', async () => {
    const { code, row } = await attack(stack, { task: 'printed', only: ['fake-metric'] });
    expect(code).toBe(1);
    expect(row('fake-metric')).toMatchObject({ seen: ['completed'], verdict: 'BROKEN' });
    expect(row('fake-metric').why).toMatch(/^error 0, better than the unmodified workspace: /);
  });

  test.skipIf(!hasPython)('a hostile pickle shows whether an evaluator executes its artefact', async () => {
    const [held, broken] = await Promise.all([
      attack(stack, { task: 'loads-safely', only: ['artefact-pickle'] }),
      attack(stack, { task: 'unpickles', only: ['artefact-pickle'] }),
    ]);
    expect(held.row('artefact-pickle')).toMatchObject({ seen: ['evaluator-failed'], verdict: 'held' });
    expect(held.code).toBe(0);
    expect(broken.row('artefact-pickle')).toMatchObject({ seen: ['completed'], verdict: 'BROKEN' });
    expect(broken.row('artefact-pickle').why).toMatch(/^error 0, better than the unmodified workspace: /);
    expect(broken.code).toBe(1);
    expect(careful.row('artefact-pickle').why).toContain('is untrusted');
  });

  test('an evaluator that a candidate makes fail is broken', async () => {
    const { code, row } = await attack(stack, { task: 'fragile', only: ['artefact-empty', 'artefact-folder'] });
    expect(code).toBe(1);
    expect(row('artefact-empty')).toMatchObject({ seen: ['evaluator-failed'], verdict: 'BROKEN' });
    expect(row('artefact-folder')).toMatchObject({ verdict: 'held' });
  });
});

test('without a sandbox the same candidate reaches what it must not, and the command says what', async () => {
  const only = ['read-secrets', 'reach-servers'];
  const { code, row } = await attack(stack, { task: 'open', only });
  expect(code).toBe(1);
  for (const name of only) expect(row(name).verdict).toBe('BROKEN');
  expect(row('reach-servers').why).toMatch(/^the attack reached port \d+ of this machine$/);
});

test('a task whose values alone may change is not attacked, and the table says why', async () => {
  const folder = await attackedTask(stack, 'values');
  const { code, stdout } = await run(['attack', folder, '--only', 'fake-metric'], { env: envOf(stack) });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^fake-metric +– +– +not applicable +none of its mutable files is in a language that/m);
  expect(await stack.query(`select id from researches where id like 'attack/values/%'`)).toEqual([]);
});

test('people see what it costs before it runs, how each candidate ends, and a table', async () => {
  const folder = await attackedTask(stack, 'careful');
  const { code, stdout, stderr } = await run(['attack', folder, '--only', 'exit-137'], { env: envOf(stack) });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^1 attack of 1 in 4 runs, 3 of them of the unmodified workspace: about 4\.0 s on slots/);
  expect(stderr).toMatch(/^1 of 1: exit-137: signal$/m);
  expect(stdout).toMatch(/^attack +expected +seen +verdict/);
  expect(stdout).toMatch(/^exit-137 +signal or exit-code +signal +held *$/m);
  expect(stdout).toContain('1 attack held, 0 broken, 0 unknown, 0 not applicable');
});

test('an unknown attack is refused with the list of the known ones', async () => {
  const folder = await attackedTask(stack, 'careful');
  const { code, stderr } = await run(['attack', folder, '--only', 'exit-138'], { env: envOf(stack) });
  expect(code).toBe(2);
  expect(stderr).toContain('exit-137');
});

test('Ctrl-C cancels what runs, and ends the research', async () => {
  const stop = new AbortController();
  const folder = await attackedTask(stack, 'careful');
  const ending = run(['attack', folder, '--only', 'ignore-term'], { env: envOf(stack), signal: stop.signal });
  await stack.until(
    'the attack to run',
    `select count(*) > 0 as done from trials join runs on trial_id = trials.id
     where hypothesis = 'ignore-term' and runs."end" is null`,
  );
  stop.abort();
  const { code, stderr } = await ending;
  expect(code).toBe(1);
  expect(stderr).toContain('Stopped by Ctrl-C');
  await stack.until(
    'the research to end',
    `select bool_and(phase = 'stopped') as done from researches where id like 'attack/careful/%'`,
  );
  expect(readdirSync('/proc').filter(isAttack)).toEqual([]);
});

/** A process of an attack that ignores signals. */
function isAttack(pid: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tried ignore-term');
  } catch {
    return false; // The process ended meanwhile.
  }
}

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FailureLabel } from '../../../domain/trial.ts';
import { FAILURE_CATALOG } from '../../../domain/trial/failure-catalog.ts';
import {
  byModel,
  caseTask,
  inTurn,
  readTrialRecords,
  SLEEP_SECONDS,
  sleepingProcesses,
  slotStates,
  untilAllStopped,
  type TrialRecord,
} from '../../support/e2e/cases.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const SLOTS = 4;

/** A script of an evaluator or of an answering candidate, the label of its trial, and the words that must be kept. */
type Case = { name: string; does: string; label: FailureLabel | null; message?: RegExp; notes?: RegExp };

const score = (json: string): string => `printf '%s' '${json}' >&3`;

const EVALUATORS: Case[] = [
  {
    name: 'crashes',
    does: 'echo "KeyError: held_out" >&2; exit 1',
    label: 'evaluator-failed',
    message: /exit code 0 of the evaluator, or 3 if the candidate is at fault; got 1/,
    notes: /KeyError: held_out/,
  },
  { name: 'dies', does: 'kill -SEGV $$', label: 'evaluator-failed', message: /got (139|SIGSEGV)/ },
  {
    name: 'scores-and-crashes',
    does: `${score('{"score": -1}')}; exit 1`,
    label: 'evaluator-failed',
  },
  {
    name: 'hangs',
    does: `echo thinking >&2; trap '' TERM; while :; do sleep ${SLEEP_SECONDS}; done`,
    label: 'evaluator-timeout',
    message: /within 15 s/,
    notes: /thinking/,
  },
  { name: 'leaves', does: `sleep ${SLEEP_SECONDS} & ${score('{"score": -1}')}`, label: null },
  { name: 'garbage', does: score('certainly! the score is 7'), label: 'metric-unreadable', notes: /certainly!/ },
  { name: 'binary', does: 'head -c 5000 /dev/urandom >&3', label: 'metric-unreadable', message: /one JSON object/ },
  { name: 'much', does: 'yes "[1]" | head -c 3000000 >&3', label: 'metric-unreadable', message: /than 1 MiB/ },
  { name: 'nothing', does: ':', label: 'metric-unreadable', message: /wrote nothing to descriptor 3/ },
  { name: 'other', does: score('{"loss": 1}'), label: 'no-metric', message: /expected .* score, got loss/ },
  { name: 'text', does: score('{"score": "-1 bit"}'), label: 'metric-unreadable', message: /score/ },
  { name: 'nan', does: score('{"score": "nan"}'), label: 'metric-not-finite', message: /got NaN/ },
  { name: 'bare-nan', does: score('{"score": NaN}'), label: 'metric-not-finite', message: /got NaN/ },
  { name: 'null', does: score('{"score": null}'), label: 'metric-not-finite', message: /got NaN/ },
  { name: 'inf', does: score('{"score": "inf"}'), label: 'metric-not-finite', message: /got Infinity/ },
  { name: 'too-good', does: score('{"score": 1}'), label: 'metric-out-of-bounds', message: /at most 0, got 1/ },
  { name: 'stdout', does: 'echo "{\\"score\\": -1}"', label: 'metric-unreadable', message: /stdout is not read/ },
  { name: 'edits-itself', does: `${score('{"score": -1}')}; echo >> score.sh`, label: 'evaluator-changed' },
  {
    name: 'zeros',
    does: `printf '{"score": -1, "a\\\\u0000": 1, "\\\\ud800": 2, "notes": "b\\\\u0000c"}' >&3`,
    label: null,
    notes: /^b.c$/,
  },
  { name: 'good', does: score('{"score": -1, "notes": "fine"}'), label: null, notes: /^fine$/ },
];

const ANSWERS: Case[] = [
  { name: 'nan', does: 'echo NaN', label: 'candidate-protocol', message: /expected a number, got NaN/ },
  { name: 'words', does: 'echo seven', label: 'candidate-protocol', message: /got seven/ },
  {
    name: 'long-line',
    does: `head -c 20000 /dev/zero | tr '\\0' 7; sleep ${SLEEP_SECONDS}`,
    label: 'candidate-protocol',
    message: /lines of at most 4096 bytes/,
    notes: /7{100}/,
  },
  {
    name: 'too-much',
    does: 'yes "# thinking"',
    label: 'candidate-protocol',
    message: /at most 104858 bytes of answers/,
  },
  {
    name: 'late',
    does: 'echo working >&2; sleep 60; echo 7',
    label: 'candidate-protocol',
    message: /an answer within 12 s/,
    notes: /working/,
  },
  {
    name: 'silent',
    does: `trap '' TERM; sleep ${SLEEP_SECONDS}`,
    label: 'candidate-protocol',
    message: /an answer within 12 s/,
  },
  {
    name: 'half-a-line',
    does: `printf 7; sleep ${SLEEP_SECONDS}`,
    label: 'candidate-protocol',
    message: /an answer within 12 s/,
  },
  { name: 'gone', does: 'exit 0', label: 'candidate-protocol', message: /expected a number, got nothing/ },
  {
    name: 'crashes',
    does: 'echo "no such weights" >&2; exit 7',
    label: 'candidate-protocol',
    message: /got nothing/,
    notes: /no such weights/,
  },
  { name: 'leaves', does: `setsid sleep ${SLEEP_SECONDS} & echo 7`, label: null },
  { name: 'good', does: 'echo 7', label: null },
];

const ASK = `echo question
answer='#'
while [ "$answer" != "\${answer#\\#}" ]; do
  if ! read -r answer; then echo "expected a number, got nothing" >&2; exit 3; fi
done
case $answer in
*[!0-9]*) echo "expected a number, got $answer" >&2; exit 3 ;;
esac
printf '{"score": -%s}' "$answer" >&3
`;

const branches = (cases: Case[]): string => cases.map(({ name, does }) => `${name}) ${does} ;;`).join('\n');
const namesOf = (cases: Case[]): string[] => cases.map(({ name }) => name);

let stack: TestStack;
let endpoint: ScriptedEndpoint;
const kept: Record<string, TrialRecord[]> = {};

beforeAll(async () => {
  stack = await startTestStack();
  endpoint = await startScriptedEndpoint({
    script: byModel({ evaluators: inTurn(namesOf(EVALUATORS)), answers: inTurn(namesOf(ANSWERS)) }),
  });
  const run = {
    command: 'sh run.sh',
    budget: { seconds: 10 },
    graceSeconds: 0.3,
    artefacts: [{ path: 'out.txt' }],
    sandbox: 'preferred' as const,
  };
  const workspace = {
    'workspace/knobs.env': 'CASE=start\n',
    'workspace/run.sh': '. ./knobs.env\necho "$CASE" > out.txt\n',
  };
  const tasks = {
    evaluators: {
      task: {
        ...caseTask('evaluators', EVALUATORS.length),
        run,
        evaluator: { type: 'artefact' as const, command: 'sh score.sh', timeoutSeconds: 15 },
      },
      files: {
        ...workspace,
        'evaluator/score.sh':
          `case $(cat artefacts/out.txt) in\nstart) ${score('{"score": -9}')} ;;\n` + `${branches(EVALUATORS)}\nesac\n`,
      },
    },
    answers: {
      task: {
        ...caseTask('answers', ANSWERS.length),
        run,
        evaluator: {
          type: 'interactive' as const,
          command: 'sh ask.sh',
          answer: 'sh answer.sh',
          timeoutSeconds: 60,
          roundSeconds: 12,
          lineKb: 4,
          totalMb: 0.1,
        },
      },
      files: {
        ...workspace,
        'workspace/answer.sh':
          `read -r question\ncase $(cat out.txt) in\nstart) echo 9 ;;\n` + `${branches(ANSWERS)}\nesac\n`,
        'evaluator/ask.sh': ASK,
      },
    },
  };
  await stack.startWorker({ slots: SLOTS, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });
  for (const [id, files] of Object.entries(tasks))
    await stack.startResearch(id, { task: await writeTask(join(stack.home, 'tasks', id), files) });
  await untilAllStopped(stack, Object.keys(tasks), 600);
  for (const id of Object.keys(tasks)) kept[id] = await readTrialRecords(stack, id);
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

function expectCase(research: string, { name, label, message, notes }: Case): void {
  const trial = kept[research]?.find(({ hypothesis }) => hypothesis === name);
  expect(trial, `a trial with the hypothesis ${name}`).toBeDefined();
  const status = label === null ? 'completed' : FAILURE_CATALOG[label].outcome;
  expect({ status: trial?.status, failure: trial?.failure }).toEqual({ status, failure: label });
  if (label !== null) expect(trial).toMatchObject({ value: null, verdict: 'discard' });
  if (message) expect(trial?.failure_message).toMatch(message);
  if (notes) expect(trial?.evaluator_notes).toMatch(notes);
}

describe('a trial', () => {
  test.each(EVALUATORS)('whose evaluator is as in $name ends with the label $label', (bad) =>
    expectCase('evaluators', bad),
  );

  test.each(ANSWERS)('whose candidate answers as in $name ends with the label $label', (bad) =>
    expectCase('answers', bad),
  );
});

describe('the research', () => {
  test.each([
    ['evaluators', EVALUATORS.length],
    ['answers', ANSWERS.length],
  ])('%s goes on, runs its %d searches, each once, and ends with its budget', async (id, searches) => {
    const [research] = await stack.query('select phase, reason from researches where id = $1', [id]);
    expect(research).toEqual({ phase: 'stopped', reason: `budget.trials is spent: ${searches} of ${searches}` });
    expect(kept[id]?.map(({ kind }) => kind).sort()).toEqual(['baseline', ...Array<string>(searches).fill('search')]);
    const runs = await stack.query('select from runs join trials on trials.id = trial_id where research_id = $1', [id]);
    expect(runs).toHaveLength(searches + 1);
  });

  test('keeps only scored candidates, and the best of them', async () => {
    const [row] = await stack.query(
      `select count(*) filter (where status = 'completed' and value is null)::int as empty,
         count(*) filter (where status <> 'completed' and (value is not null or verdict = 'keep'))::int as false_wins
       from trials`,
    );
    expect(row).toEqual({ empty: 0, false_wins: 0 });
    const best = await stack.query(
      `select distinct on (research_id) research_id, value from claims order by research_id, seq desc`,
    );
    expect(best).toEqual([
      { research_id: 'answers', value: -7 },
      { research_id: 'evaluators', value: -1 },
    ]);
  });

  test('gets every slot back and leaves no process and no evaluation behind', async () => {
    expect(await slotStates(stack)).toEqual({ leased: 0, usable: SLOTS });
    await expect.poll(sleepingProcesses).toEqual([]);
    await expectNoProcesses(stack.home);
    await expectNoProcesses(stack.home, 'evaluations');
  });
});

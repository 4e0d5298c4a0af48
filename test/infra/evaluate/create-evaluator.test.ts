import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { Conversation, RunSpec } from '../../../infra/compute.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { runningPrograms } from '../../support/process/running-programs.ts';
import { eventsOf } from '../compute/conformance/support.ts';
import { RUNTIME } from './runtime.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-evaluate-'));
const evaluator = createEvaluator({ home });
const compute = createLocalCompute({ home, installation: 'evaluate-tests' });
const packageRoot = new URL('../../../', import.meta.url);
const never = new AbortController().signal;
afterAll(() => rmSync(home, { recursive: true, force: true }));

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });

/** Rounds are longer than a sandbox takes to build on a busy machine. No test waits for the end of such a round. */
const LIMITS = { roundSeconds: 30, lineBytes: 1000, totalBytes: 5000 };

function spec(command: string, more: Partial<EvaluateSpec> = {}): EvaluateSpec {
  return {
    files: [file('score.mjs', `import {writeSync} from 'node:fs'; writeSync(3, process.argv[2]);`)],
    command,
    timeoutSeconds: 60,
    seed: 7,
    artefacts: [file('model/weights.bin', 'abc')],
    runtime: RUNTIME,
    conversation: null,
    limits: LIMITS,
    ...more,
  };
}
const evaluate = (command: string, more?: Partial<EvaluateSpec>) => evaluator.evaluate(spec(command, more), never);
async function failure(command: string, more?: Partial<EvaluateSpec>) {
  const result = await evaluate(command, more);
  if (result.ok) throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
  return result.failure;
}

describe('an evaluator of artefacts', () => {
  it('returns its numbers and notes on descriptor 3', async () => {
    const result = await evaluate(`node score.mjs '{"loss": 1.5, "steps": 3, "notes": "fine"}'`);
    expect(result).toMatchObject({ ok: true, evaluation: { metrics: { loss: 1.5, steps: 3 }, notes: 'fine' } });
  });

  it('may say nan and inf as text', async () => {
    const result = await evaluate(`echo '{"a":"nan","b":"inf","c":"-inf"}' >&3`);
    expect(result).toMatchObject({ ok: true, evaluation: { metrics: { a: NaN, b: Infinity, c: -Infinity } } });
  });

  it('reads artefacts that are read-only, and its seed', async () => {
    const result = await evaluate(
      `test "$(cat artefacts/model/weights.bin)" = abc && test "$(stat -c %a artefacts/model/weights.bin)" = 444 &&
       test "$(stat -c %a .)" = 700 && echo "{\\"seed\\": $PERPETUA_SEED}" >&3`,
    );
    expect(result).toMatchObject({ ok: true, evaluation: { metrics: { seed: 7 } } });
  });

  it("sees nothing of the worker's environment", async () => {
    process.env['OPENAI_API_KEY'] = 'secret-key';
    const { logTail } = await failure('env >&2; exit 1');
    delete process.env['OPENAI_API_KEY'];
    const names = logTail.split('\n').map((line) => line.split('=')[0]);
    expect(
      names.filter((name) => name && !['PWD', '_', 'SHLVL', 'OLDPWD', 'USER', 'LOGNAME'].includes(name)).sort(),
    ).toEqual(['HOME', 'LANG', 'PATH', 'PERPETUA_RESULT_FD', 'PERPETUA_SEED', 'PYTHONUNBUFFERED']);
  });

  it.each([
    ['no result', 'true'],
    ['garbage', 'echo garbage >&3'],
    ['a list', `echo '[1]' >&3`],
    ['a number with a unit', `echo '{"loss":"3 ms"}' >&3`],
    ['a nested object', `echo '{"loss":{"value":3}}' >&3`],
    ['lists a hundred thousand deep', `node -p '"{\\"a\\":" + "[".repeat(1e5) + "]".repeat(1e5) + "}"' >&3`],
    ['an object without numbers', `echo '{"notes":"hm"}' >&3`],
    ['the result on stdout', `echo '{"loss":3}'`],
    ['two megabytes', `head -c 2000000 /dev/zero | tr '\\0' 1 >&3`],
  ])('that writes %s ends as metric-unreadable', async (_, command) => {
    expect(await failure(command)).toMatchObject({ label: 'metric-unreadable' });
  });

  it('that writes more than 1 MiB ends with the limit in its message, and its beginning in its log', async () => {
    const got = await failure(`(printf '{"notes": "HELD OUT'; head -c 1048577 /dev/zero | tr '\\0' 1) >&3`);
    expect(got.message).toMatch(/wrote more than 1 MiB$/);
    expect(got.logTail).toContain('{"notes": "HELD OUT1111');
  });

  it('that crashes ends as evaluator-failed with its stderr', async () => {
    const got = await failure(`echo '{"loss":1}' >&3; echo boom >&2; exit 9`);
    expect(got).toMatchObject({ label: 'evaluator-failed', logTail: expect.stringContaining('boom') as string });
    expect(got.message).toContain('9');
  });

  it('that hangs is killed with its children and ends as evaluator-timeout', async () => {
    const got = await failure(`trap '' TERM; sleep 4217 & echo begun >&2; wait; sleep 4217`, { timeoutSeconds: 8 });
    expect(got.label).toBe('evaluator-timeout');
    expect(got.logTail).toContain('begun');
    expect(await runningPrograms('sleep 4217')).toBe(0);
  });

  it('that exits with 3 blames the candidate, in its own words', async () => {
    const got = await failure('echo "rows do not sum to 1" >&2; exit 3');
    expect(got).toMatchObject({ label: 'candidate-protocol', message: 'rows do not sum to 1' });
  });

  it('that changes its own files ends as evaluator-changed', async () => {
    const got = await failure(`echo '//' >> score.mjs; echo '{"loss":1}' >&3`);
    expect(got).toMatchObject({ label: 'evaluator-changed', message: expect.stringContaining('score.mjs') as string });
  });

  it('refuses files that lead out of its directory', async () => {
    await expect(evaluate('true', { artefacts: [file('../../evil', 'x')] })).rejects.toThrow('inside the workspace');
  });

  it('is killed when the caller gives up', async () => {
    const controller = new AbortController();
    const running = evaluator.evaluate(spec('sleep 4218'), controller.signal);
    setTimeout(() => controller.abort(), 100);
    await expect(running).rejects.toThrow('abort');
  });

  it('leaves nothing on the disk', () => {
    expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
  });
});

// This worker runs the build, as real workers do.
const KILLED_WORKER = `
import { createEvaluator } from './dist/infra/evaluate/create-evaluator.js';
createEvaluator({ home: process.argv[1] }).evaluate({
  files: [], command: 'sleep 4220 & wait', timeoutSeconds: 600,
  seed: 1, artefacts: [], conversation: null, limits: { roundSeconds: 1, lineBytes: 1, totalBytes: 1 },
}, new AbortController().signal);
`;

const DIALOGUE = `
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let sum = 0;
for (let n = 1; n <= 5; n++) {
  console.log(n);
  const { value, done } = await lines.next();
  if (done) { console.error('the answers ended'); process.exit(3); }
  sum += Number(value);
}
writeSync(3, JSON.stringify({ sum }));
process.exit(0);
`;

describe('an interactive evaluator', () => {
  let runs = 0;
  beforeAll(() => compute.stage('talk', [file('data.txt', 'x')]));

  async function candidate(command: string, limits: Partial<RunSpec['limits']>): Promise<Conversation> {
    const run: RunSpec = {
      jobId: `talk/${(runs += 1)}`,
      placement: 0,
      fence: 1,
      slot: { id: `slot-${runs}`, pool: 'local', index: runs, gpu: null },
      stageHash: 'talk',
      files: [],
      command: 'echo 2 > factor',
      env: {},
      limits: {
        wallSeconds: 60,
        cpuSeconds: null,
        graceSeconds: 0.2,
        memoryMb: 512,
        processes: 20,
        outputBytes: 100_000,
        diskMb: 10,
        files: 1000,
      },
      sandbox: 'preferred',
    };
    await compute.launch(run);
    for await (const event of eventsOf(compute, run)) expect(event.type).toBe('ended');
    const artefacts = [{ path: 'factor', maxBytes: 100 }];
    return compute.converse({ ...run, command, artefacts, limits: { ...run.limits, ...limits } });
  }
  const talk = async (command: string, limits: Partial<RunSpec['limits']> = {}, more: Partial<EvaluateSpec> = {}) => {
    const conversation = await candidate(command, limits);
    const result = await evaluate('node talk.mjs', { files: [file('talk.mjs', DIALOGUE)], conversation, ...more });
    expect((await conversation.ended).treeGone).toBe(true);
    return result;
  };
  const DOUBLE = 'while read -r n; do echo $((n * $(cat factor))); done';

  it('asks the program of the candidate, which sees its artefacts', async () => {
    expect(await talk(DOUBLE)).toMatchObject({ ok: true, evaluation: { metrics: { sum: 30 } } });
  });

  it.each([
    ['answers nothing', 'sleep 4219', 'within 5 s', 5],
    ['answers too long a line', 'head -c 3000 /dev/zero | tr "\\0" x; sleep 4219', '1000 bytes'],
    ['answers too much', 'yes', '5000 bytes'],
    ['crashes', 'read -r n; exit 1', 'the answers ended'],
    ['is not there', './no-such-program', 'the answers ended'],
  ])('ends as candidate-protocol when the candidate %s', async (_, command, message, roundSeconds = 30) => {
    const result = await talk(command, {}, { limits: { ...LIMITS, roundSeconds } });
    expect(result).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
    if (!result.ok) expect(result.failure.message).toContain(message);
  });

  it.each([
    ['before it answers', 'yes flood >&2'],
    ['beside its answers', `yes flood >&2 & while read -r n; do [ $n -lt 5 ] || sleep 3; echo $n; done; wait`],
  ])('ends as output-limit when the candidate floods its stderr %s', async (_, command) => {
    const result = await talk(command);
    expect(result).toMatchObject({ ok: false, failure: { label: 'output-limit' } });
    if (!result.ok) expect(result.failure.logTail).toContain('flood');
  });

  it('has no verdict on a candidate that its wall limit ended: only a worker that slept sees that', async () => {
    // The wall limit is shorter than the round of the evaluator.
    await expect(talk('sleep 4220', { wallSeconds: 12 })).rejects.toThrow('while this worker slept or its host');
  });

  it('ends as cpu-time when the candidate exceeds its limit of CPU seconds', async () => {
    const result = await talk('while :; do :; done', { cpuSeconds: 0.3 });
    expect(result).toMatchObject({ ok: false, failure: { label: 'cpu-time' } });
    if (!result.ok) expect(result.failure.message).toContain('run.budget.most');
  });

  it('keeps the output of the candidate, of both streams', async () => {
    const result = await talk('echo hello; echo oops >&2; sleep 4219', {}, { limits: { ...LIMITS, roundSeconds: 5 } });
    expect(result.ok ? '' : result.failure.logTail).toMatch(/hello[\s\S]*oops/);
  });

  it.concurrent.each([
    ['sent a line and hangs, though the evaluator reads on', 'echo 1; read -r a; read -r b', 'candidate-protocol'],
    ['does not answer a second question', 'echo 1; read -r a; sleep 11; echo 2; read -r b', 'candidate-protocol'],
    ['has answered just before', 'sleep 12; echo 1; read -r a; sleep 4221', 'evaluator-timeout'],
    ['was never asked', 'sleep 4221', 'evaluator-timeout'],
    ['has ended', 'sleep 6; echo 1; read -r a; sleep 4221', 'evaluator-timeout', 'read -r n; echo $n'],
  ])("blames the evaluator's timeout on the side that kept the other waiting: the candidate %s", async (...setting) => {
    const [, command, label, answer = 'read -r n; echo $n; sleep 4219'] = setting;
    const conversation = await candidate(`echo up >&2; ${answer}`, {});
    // Only answers are timed. The start of the candidate may be slow, beside the other tests.
    await vi.waitFor(() => expect(conversation.stderrTail()).toContain('up'), 60_000);
    const limits = { ...LIMITS, roundSeconds: 8 };
    expect((await failure(command, { conversation, limits, timeoutSeconds: 17 })).label).toBe(label);
  });

  it('does not count the time that the host of the candidate was away', async () => {
    const conversation = await candidate(DOUBLE, {});
    const reach = vi.fn(async () => undefined).mockImplementationOnce(() => sleep(6000, undefined));
    const command = `sleep 7; echo '{"score": 1}' >&3`;
    expect(
      await evaluate(command, { conversation: { ...conversation, roundTrip: reach }, timeoutSeconds: 6 }),
    ).toMatchObject({
      ok: true,
    });
  });

  it('has no verdict on a candidate that something else has ended: its host failed', async () => {
    const conversation = await candidate(DOUBLE, {});
    const ended = conversation.ended.then((end) => ({ ...end, endedBy: 'others' as const }));
    await expect(evaluate('true', { conversation: { ...conversation, ended } })).rejects.toMatchObject({
      name: 'HostUnusableError',
      host: compute.host,
    });
  });

  it('ends both sides when the evaluator crashes in the middle', async () => {
    const conversation = await candidate(DOUBLE, {});
    const got = await failure('echo 1; read -r line; exit 5', { conversation });
    expect(got.label).toBe('evaluator-failed');
    expect((await conversation.ended).treeGone).toBe(true);
  });

  it('dies with its worker, and the next evaluation removes its folder', async () => {
    const worker = spawn(process.execPath, ['--input-type=module', '-e', KILLED_WORKER, home], { cwd: packageRoot });
    await expect.poll(() => runningPrograms('sleep 4220')).toBe(1);
    worker.kill('SIGKILL');
    await expect.poll(() => runningPrograms('sleep 4220')).toBe(0);
    expect(readdirSync(join(home, 'evaluations'))).toHaveLength(1);
    await evaluate(`echo '{"a": 1}' >&3`);
    expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
  });
});

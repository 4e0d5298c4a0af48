import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { AgentName } from '../../../domain/agent/recipe.ts';
import { findAgent, type FoundAgent } from '../../../infra/agent/find-agent.ts';
import { runInSandbox } from './agent-run.ts';
import { openAgentTrial } from './agent-trial.ts';
import { type ScriptedEndpoint, type ScriptedEndpointOptions, startScriptedEndpoint } from './scripted-endpoint.mjs';

const { packageRoot, agentCache } = loadConfig();
const BUDGET = {
  type: 'error',
  error: { type: 'permission_error', message: 'perpetua: the budget of this trial is spent', code: 'budget' },
};
/** Begins like an option, and has all that a shell would interpret; 60 kB. */
const HOSTILE =
  `--help -x 'single' "double" $(touch owned) \`touch owned\` $HOME \\n %s {{task}}\n\n* ü 😀\n` +
  'rate '.repeat(12_000);

/** Tests of an agent's recipe against a scripted endpoint; skipped with the reason if the agent is not installed. */
export function testAgent(name: AgentName): void {
  const found = findAgent(name, { packageRoot, cache: agentCache });
  if ('missing' in found) return test.skip(`${name} works: skipped, ${found.missing}`);
  describe(`${name} by its recipe`, () => testFound(found));
}

function testFound(found: FoundAgent): void {
  const { recipe } = found;
  const open: { remove: () => void }[] = [];
  const endpoints: ScriptedEndpoint[] = [];
  const start = async (script: ScriptedEndpointOptions) => {
    const endpoint = await startScriptedEndpoint(script);
    endpoints.push(endpoint);
    const trial = await openAgentTrial({ found, gateway: endpoint.url ?? '' });
    open.push(trial);
    const calls = () => endpoint.requests.filter(({ method, path }) => method === 'POST' && !/count_tokens/.test(path));
    return { trial, calls };
  };
  beforeAll(() => expect(found.readable).toContain(found.folder));
  afterAll(async () => {
    for (const { remove } of open) remove();
    for (const { close } of endpoints) await close();
  });

  test('an edit lands, and any prompt arrives as it is', async () => {
    const { trial, calls } = await start({});
    const ended = await trial.run(recipe.command, HOSTILE);
    expect(trial.rate(), ended.output.slice(-2000)).toBe('LR = 0.2');
    expect(trial.files()).toEqual(['train.py']);
    expect(textsIn(calls()[0]?.body).some((text) => text.includes(HOSTILE.trimEnd()))).toBe(true);
    expect(calls().every(({ model }) => model === 'vendor/scripted-1:free')).toBe(true);
  });

  test('an edit lands in a sandbox, where a relay is the only network', async ({ skip }) => {
    const ended = await runInSandbox(found);
    if ('skipped' in ended) return skip(ended.skipped);
    expect(ended.rate, ended.output.slice(-2000)).toBe('LR = 0.2');
  });

  test('a spent budget ends it', async () => {
    const { trial, calls } = await start({ answer: () => ({ status: 403, body: BUDGET }) });
    await trial.run(recipe.command, 'Set LR to 0.2.');
    expect(trial.rate()).toBe('LR = 0.1');
    expect(calls().length).toBeLessThanOrEqual(6);
  });

  test.skipIf(recipe.resume === undefined)('after each KILL it goes on with the kept conversation', async () => {
    const events = new EventEmitter();
    let held = 0;
    const { trial, calls } = await start({
      turns: 3,
      // Two blanks: only the output of the command has the text.
      edit: 'echo turn {turn} is  done && sed -i "s/^LR = .*/LR = 0.{turn}/" train.py',
      answer: ({ body }) => {
        if (held >= 2 || !JSON.stringify(body ?? null).includes(`turn ${held + 1} is done`)) return undefined;
        held += 1;
        events.emit('held');
        return { wait: 20_000 };
      },
    });
    let next = recipe.command;
    for (const _kill of [1, 2]) {
      const inTurn = once(events, 'held');
      const { ended, kill } = trial.start(next, 'You were interrupted. Go on.');
      await Promise.race([inTurn, ended.then(({ output }) => Promise.reject(new Error(output.slice(-2000))))]);
      // Claude Code writes a turn some time after it.
      await expect.poll(trial.transcript).toContain(`turn ${held} is done`);
      await kill();
      trial.copyTree();
      next = recipe.resume ?? '';
    }
    const before = calls().length;
    const ended = await trial.run(next, 'Go on, please.');
    expect(trial.rate(), ended.output.slice(-2000)).toBe('LR = 0.3');
    const resumed = textsIn(calls()[before]?.body).join('\n');
    const wanted = ['turn 1 is done', 'turn 2 is done', 'Go on, please.'];
    expect(wanted.filter((text) => !resumed.includes(text))).toEqual([]);
  });
}

/** All texts in a request. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
